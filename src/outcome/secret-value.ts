// Whether a value that stands beside a name such as `password` or `api_key` is a secret, or only a word, a type, a path, a
// number or a stand-in. Being wrong costs either way: a secret gets out, or somebody edits source text with holes in it.

export type SecretKind = 'password' | 'token'

/**
 * How the value was written. `quoted`: in quotes, or a field of its own; `tight`: `name=value` without spaces;
 * `loose`: `name: value` or `name = value`, which may be source text.
 */
export type SecretStyle = 'quoted' | 'tight' | 'loose'

/** Which kind of secret a name announces, if any: `DB_PASSWORD`, `apiKey`, `client-secret`, but not `token_type` or `secretName`. */
export function secretKindOf(name: string): SecretKind | undefined {
  const match = secretName.exec(name)
  if (!match || isHarmlessSuffix(match.groups?.suffix ?? '')) return undefined
  return /^p/i.test(match[0]) && !/^private/i.test(match[0]) ? 'password' : 'token'
}

/** Names that announce a password, and names that announce any other secret; `key` alone announces nothing. */
export const passwordNames = 'passw(?:or)?d|passwort|passphrase|passcode|pwd|(?<![A-Za-z])pass(?![_-]?[A-Za-z])'
export const tokenNames =
  'secret|token|credentials?|(?<=(?:api|access|auth|private|signing|encryption|master|account|shared|service|storage|subscription|deploy|consumer|admin|secret)[_ -]?)key'
const secretName = new RegExp(`(?:${passwordNames}|${tokenNames})(?<suffix>[A-Za-z0-9_.-]{0,40})$`, 'i')

const harmlessSuffixes =
  /^(?:i[sz]|ary|ed|ing|less|ly|ful)|(?:ids?|names?|types?|counts?|limits?|lengths?|sizes?|paths?|files?|dirs?|urls?|uris?|endpoints?|hosts?|expir\w*|ttl|age|policy|policies|fields?|labels?|hints?|version|index|refs?|arn|prefix|suffix|scopes?|status|state|formats?|algorithm|alg|providers?|sources?|class|regex|patterns?|min|max|used|usage|headers?|params?|time|date|at|by|rotation|manager|store|budget|price|cost|color|colour|kind|mode|method|strength|score|required|enabled|valid|errors?|message|text|description|title|placeholder|input|symbol|address|pos|position|start|end|line|column)$/i

export function isHarmlessSuffix(suffix: string): boolean {
  return harmlessSuffixes.test(suffix)
}

export function isSecretValue(kind: SecretKind, value: string, style: SecretStyle): boolean {
  if (value.length < (kind === 'password' ? 6 : 8) || /\s/.test(value)) return false
  if (standIn.test(value) || elsewhere.test(value)) return false
  if (/^(.)\1*$/.test(value)) return false
  if (/^\p{L}+$/u.test(value))
    return kind === 'password' ? isPasswordOfLetters(value, style) : style !== 'loose' && isRandomCase(value)
  if (!/\p{L}/u.test(value)) return kind === 'password' && style !== 'loose' && /^\d{6}|[^\d\s]{3}/.test(value)
  if (style === 'loose' && (dottedName.test(value) || constantName.test(value))) return false
  if (kind === 'password')
    return style === 'loose' ? /\d/.test(value) && !passwordWord.test(value) : !joinedWords.test(value)
  return (
    /\d/.test(value) &&
    !/[^\x21-\x7e]/.test(value) &&
    !numberedWords.test(value) &&
    entropyOf(value) >= (value.length < 16 ? 2.5 : 3)
  )
}

/** Of a value that no name announces: whether it looks random, or is too long to be words, a number, a path or an address. */
export function looksRandom(value: string): boolean {
  if (joinedParts.test(value) && !isRandomCase(value)) return false
  return isSecretValue('token', value, 'quoted') || (value.length >= 24 && isSecretValue('password', value, 'quoted'))
}

/** Templates, variables, and the words people write where a secret should go. */
const standIn =
  /^(?:\$(?!\d)|%|<|\{|\[|@@|__|!)|\$\{|\{\{|#\{|%\(|<[a-z]|[*•…]{3}|\.{3}|x{4}|\[REDACTED|^(?:env|process\.env|os\.environ|import\.meta|secrets|vars|var|local|self|this|data|config|settings|args|options|params|props|request|req|response|ctx|context)\b[.[]|\b(?:your|example|sample|dummy|fake|placeholder|insert|replace|redacted|undefined|null|none|todo)(?:\b|[_-])|change[_-]?(?:me|this|it)|\bmy[_-]/i

/** The secret is somewhere else: an address, a path, the name of an entry in a store, a colour, a version. */
const elsewhere =
  /^[a-z][a-z0-9+.-]*:\/\/|^arn:|^sha(?:256|384|512)[:-]|^(?:\.{0,2}|~)\/[\w.@-]+(?:\/[\w.@-]*)*$(?<!^\/[A-Za-z0-9+/]{39})|^[A-Za-z]:\\|^#[0-9a-f]{3,8}$|^v?\d+(?:\.\d+)+|^0x[0-9a-f]{1,16}$/i

const passwordWord = /pass|secret|token|user|admin_|field|input|param|string|hash/i
const commonWord =
  /pass|secret|token|string|requir|valid|default|optional|forgot|incorrect|hidden|reset|confirm|missing|number|boolean|object|unknown|empty|encrypted|disabled|enabled|varchar|character|field|input|differ|wrong|match/i
const dottedName = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+$/
const constantName = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/
const joinedWords = /^[A-Za-z]+(?:[-_.:/][A-Za-z]+)+$/
/** `clientSecretV2`, `oauth2-token`, `prod-db-1`. */
const word = '(?:[A-Za-z]{2,}(?:[0-9]{1,3}[A-Za-z]{0,3})?|[0-9]{1,3}|[A-Za-z])'
const numberedWords = new RegExp(`^${word}(?:[-_.:/]${word})*$`)

/** `my-project-123456`, `gpt-4o-2024-08-06`, `sonnet-20241022`, `server:v0.5`. */
const part = '(?:[A-Za-z]{1,20}[0-9]{0,3}[A-Za-z]{0,3}|[0-9]{1,3}[A-Za-z]{0,3}|[0-9]{1,8})'
const joinedParts = new RegExp(`^${part}(?:[-_.:/@+]${part})*$`)

/** A word is no password where it may be a type or a label; elsewhere only if it is long, in small letters and no usual word. */
function isPasswordOfLetters(value: string, style: SecretStyle): boolean {
  if (style === 'loose') return false
  return isRandomCase(value) || (value.length >= 8 && value === value.toLowerCase() && !commonWord.test(value))
}

/** Capitals and small letters change places far more often than in `camelCaseNames`. */
function isRandomCase(value: string): boolean {
  const changes = value.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0
  return value.length >= 16 && changes / value.length > 0.38
}

/** Bits for each character, by how evenly the characters are spread. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
