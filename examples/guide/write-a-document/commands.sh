npx legwork run report.xml         # shows each block and its result
npx legwork run report.xml --write # puts the results into the file, and changes nothing else
npx legwork run report.xml --check # do the stored results still belong to the blocks?
