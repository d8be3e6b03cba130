npx legwork init --yes
npx legwork link claude-code --yes
