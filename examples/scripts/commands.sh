npx legwork tools --types wc        # the exact types of what you call
npx legwork run long-files.ts --dry # which tools it can call, and what the policy says of them
npx legwork run long-files.ts
