npx legwork tools                             # what there is
npx legwork call demo:greet '{"name": "Ada"}' # one call
npx legwork call 'demo.greet({name: "Ada"})'  # the same
npx legwork policy why demo:greet             # what the policy says of it, and why
npx legwork audit                             # what happened
npx legwork doctor                            # what is installed, what is missing, how to get it
