npx legwork init --yes
npx legwork link cursor --yes
