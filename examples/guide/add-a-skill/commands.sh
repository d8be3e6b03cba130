npx legwork doctor             # checks the skill strictly
npx legwork tools --kind skill # its scripts are tools
npx legwork call word-count.count '{"file": "notes.md", "longest": true}'
