npx legwork doctor                                   # is the program there, is its description right
npx legwork tools greet                              # the tool as a model sees it
npx legwork call greet '{"name": "Ada"}'
npx legwork call 'greet({name: "Ada", loud: true})'  # the same tool, written as a call
