// The words of a text, in the form in which they are compared: `github:createIssues`, "create an issue" and "Issues created" share two.

/** Small words in every sentence, which say nothing about a tool. */
const stopWords = new Set(
  'a an and any are as at be by can do does for from have how i if in into is it its me my need of on or our please some than that the their them then there these this to tool use using want was what when where which will with would you your'.split(
    ' ',
  ),
)

const maxQueryLength = 1_000
const maxQueryWords = 16
const maxWordLength = 32

/** The words to look for, without the small ones where there are others. */
export function queryWords(query: string): string[] {
  const words = split(query, maxQueryLength)
  const telling = words.filter((word) => !stopWords.has(word))
  return [...new Set((telling.length ? telling : words).map(stem))].slice(0, maxQueryWords)
}

/** The words to be found by. */
export function wordsOf(text: string, maxLength: number): string[] {
  return split(text, maxLength).map(stem)
}

function split(text: string, maxLength: number): string[] {
  return text
    .slice(0, maxLength)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .flatMap((word) => (unspaced.test(word) ? pairs(word) : word.slice(0, maxWordLength)))
}

/** Scripts that put no space between words are compared by pairs of letters. */
const unspaced = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]/u

function pairs(word: string): string[] {
  const letters = Array.from(word)
  return letters.length < 2 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`)
}

/** Plurals and the forms of English verbs: close enough for finding, as long as both sides do the same. */
function stem(word: string): string {
  if (word.length < 4 || /[^a-z]/.test(word)) return word
  const single = word
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x|z)es$/, '$1')
    .replace(/(?<![sui])s$/, '')
  const base = single.replace(/(?<=[a-z]{3})(ing|ed)$/, '')
  const undoubled = base === single ? base : base.replace(/([bdgmnprt])\1$/, '$1')
  return undoubled.length > 3 ? undoubled.replace(/e$/, '') : undoubled
}
