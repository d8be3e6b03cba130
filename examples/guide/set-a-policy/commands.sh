npx legwork policy why notes:delete '{"name": "draft"}'                  # the decision, and the rule that made it
npx legwork call notes:list                                              # allowed
npx legwork call notes:print || echo "exit code $?"                      # denied: 3
npx legwork call notes:delete '{"name": "draft"}' || echo "exit code $?" # asks; where nobody is there to answer: 4
npx legwork approve                                                      # what waits for a yes
