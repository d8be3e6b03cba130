// The characters that nobody sees, for whoever shows them spelt out: what steers a terminal or turns the reading order, what has no
// shape at all, and every space but the plain one, of which a screen can be filled with lines that were never written.

/** Line feeds are among them. */
export const unseen = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu
