// Secrets that are told by what stands beside them: a name and a sign (`password = …`), an address with a password in it, an
// Authorization header, the options of a command.

import type { Shape } from './patterns.ts'
import {
  entropyOf,
  isHarmlessSuffix,
  isSecretValue,
  passwordNames,
  type SecretStyle,
  tokenNames,
} from './secret-value.ts'

const nameKeywords = ['pass', 'pwd', 'secret', 'token', 'credential', 'key']
/** What follows the name is taken at once and never given back: a text of nothing but names would be tried at every letter. */
export const name = `(?<name>${passwordNames}|${tokenNames})(?=(?<suffix>[A-Za-z0-9_.-]{0,40}))\\k<suffix>`
/** A name is followed by a sign, or by a value. */
const nameGate = /[A-Za-z0-9_.-]{3,56}(?=["'`\\\] \t:=%>])/y
export const closing = String.raw`\\{0,3}["'\`]?\]?`
export const spaces = '[ \\t]{0,16}'
const type = `:${spaces}[A-Za-z][\\w.<>|]{0,30}${spaces}=(?!=)`
/** `=`, `:`, `=>`, `:=`, a type and then `=`, or an attribute `value=`. */
export const sign = `(?:${closing}${spaces}(?:${type}|:=|=>|=|:(?![:/])|%3[Dd])${spaces}|["'][ \\t]{1,4}value=)`

export const namedShapes: readonly Shape[] = [
  {
    name: 'quoted-field',
    keywords: nameKeywords,
    gate: nameGate,
    pattern: sticky(
      `${name}(?:${sign}|${closing}${spaces}={2,3}${spaces})[bfru@]{0,2}(?<open>\\\\{0,3}["'\`])(?<secret>(?:(?!\\k<open>)[^\\r\\n]){6,4096})`,
    ),
    isSecret: (secret, match) => isNamedSecret(match, secret, 'quoted'),
  },
  {
    name: 'bare-field',
    keywords: nameKeywords,
    gate: nameGate,
    pattern: sticky(
      `(?<!arn:[A-Za-z0-9:-]{0,60})${name}(?<sign>${sign}|>)(?<secret>[^\\s"'\`\\\\,;&<>(){}\\[\\]|]{6,1024})`,
    ),
    isSecret: (secret, match) => {
      const { sign = '' } = match.groups ?? {}
      const end = match.index + match[0].length
      const follows = match.input.slice(end, end + 2)
      if (sign === '>' ? follows !== '</' : /^[([{<]/.test(follows)) return false
      return isNamedSecret(match, secret, /\s|:$/.test(sign) ? 'loose' : 'tight')
    },
  },
  {
    name: 'environment-variable',
    keywords: nameKeywords,
    gate: nameGate,
    pattern:
      /(?<=^|[\s"';,][A-Z0-9_]{0,60}|^[A-Z0-9_]{0,60})(?<name>PASSWORD|PASSWD|PASSPHRASE|PWD|PASS|SECRET|TOKEN|CREDENTIALS|KEY)(?<suffix>[A-Z0-9_]{0,40})=(?<secret>[^\s"'`\\$][^\s"'`\\]{5,1023})/my,
    isSecret: (secret, match) => match.groups?.name !== 'KEY' && isNamedSecret(match, secret, 'tight'),
  },
  {
    name: 'command-option',
    keywords: nameKeywords,
    gate: nameGate,
    pattern: sticky(
      `(?<=(?:^|[\\s"'])--?[A-Za-z0-9-]{0,30})${name}[ \\t]{1,4}["']?(?<secret>[^\\s"'\`\\\\-][^\\s"'\`\\\\]{5,1023})`,
    ),
    isSecret: (secret, match) => isNamedSecret(match, secret, 'tight'),
  },
  {
    name: 'session-cookie',
    keywords: ['sessionid=', 'session_id=', 'sessid=', 'connect.sid=', 'session='],
    pattern: sticky(`(?:session_?id|sessid|connect\\.sid|session)=(?<secret>[^\\s"'\`\\\\,;&<>(){}\\[\\]|]{16,1024})`),
    isSecret: (secret) => isSecretValue('token', secret, 'tight'),
  },
  {
    name: 'address-password',
    keywords: ['://'],
    pattern: sticky(`://[^\\s/?#@:"'<>\`]{0,256}:(?<secret>[^\\s/"'<>\`]{1,256})(?=@[\\w.[-])`),
    isSecret: (secret) => !/^(?:\$|%[^0-9]|\{|\[|\*+$|x{3,}$|\.{3})|\[REDACTED|^redacted$/i.test(secret),
  },
  {
    name: 'address-token',
    keywords: ['://'],
    pattern: sticky(`://(?<secret>[^\\s/?#@:"'<>\`]{20,256})(?=@[\\w.[-])`),
    isSecret: (secret) => isSecretValue('token', secret, 'tight'),
  },
  {
    name: 'authorization',
    keywords: ['authorization'],
    pattern: sticky(
      `authorization${closing}${spaces}[:=]${spaces}\\\\{0,3}["'\`]?(?<scheme>[A-Za-z][A-Za-z0-9-]{1,30}[ \\t]{1,4})?(?<secret>[^\\s"'\`\\\\,;<>{}()]{6,8192})`,
    ),
    isSecret: (secret, match) => isCredential(secret, match.groups?.scheme !== undefined),
  },
  {
    name: 'authorization-parameter',
    keywords: ['signature=', 'response='],
    pattern: sticky(`(?<=authorization[^\\r\\n]{1,120})(?:signature|response)="?(?<secret>[A-Za-z0-9+/=_-]{16,512})`),
  },
  {
    name: 'bearer-token',
    keywords: ['bearer ', 'bearer%20'],
    pattern: sticky(`bearer(?:[ \\t]{1,4}|%20)(?<secret>[A-Za-z0-9._~+/=-]{12,8192})`),
    isSecret: (secret) => isCredential(secret, true),
  },
  {
    name: 'basic-credentials',
    keywords: ['basic '],
    pattern: sticky(`basic[ \\t]{1,4}(?<secret>[A-Za-z0-9+/_-]{6,2048}={0,2})`),
    isSecret: (secret) => isUserAndPassword(Buffer.from(secret, 'base64').toString('latin1')),
  },
  {
    name: 'curl-user',
    keywords: ['curl '],
    pattern: sticky(
      `curl [^\\r\\n]{0,200}?(?:-u|--user|--proxy-user)[ =]?["']?[^\\s:"']{1,128}:(?<secret>[^\\s"']{3,256})`,
    ),
    isSecret: (secret) => !/^[$<{*]/.test(secret),
  },
  {
    name: 'netrc',
    keywords: ['login '],
    pattern: sticky(`login[ \\t]{1,16}[^\\s]{1,128}[ \\t]{1,16}password[ \\t]{1,16}(?<secret>[^\\s]{3,256})`),
    isSecret: (secret) => !/^[$<{*[]/.test(secret),
  },
  {
    name: 'database-user',
    keywords: ['identified by', 'identified with'],
    pattern: sticky(`identified (?:with [\\w'"-]{1,60} )?by ["'](?<secret>[^"'\\r\\n]{3,256})`),
    isSecret: (secret) => !/^[$<{*[]/.test(secret),
  },
  {
    name: 'sshpass',
    keywords: ['sshpass '],
    pattern: sticky(`sshpass[ \\t]{1,4}-p[ \\t]{0,4}["']?(?<secret>[^\\s"'$]{3,256})`),
  },
]

function sticky(source: string): RegExp {
  return new RegExp(source, 'yim')
}

function isNamedSecret(match: RegExpExecArray, secret: string, style: SecretStyle): boolean {
  const { name: word = '', suffix = '' } = match.groups ?? {}
  if (isHarmlessSuffix(suffix)) return false
  return isSecretValue(/^p/i.test(word) ? 'password' : 'token', secret, style)
}

function isUserAndPassword(decoded: string): boolean {
  return decoded.includes(':') && !/[^\x20-\x7e]/.test(decoded)
}

/** After a scheme such as Bearer almost anything is a secret; without one it may be prose or source text. */
function isCredential(secret: string, afterScheme: boolean): boolean {
  if (!isSecretValue('token', secret, afterScheme ? 'tight' : 'loose')) {
    return (
      afterScheme &&
      secret.length >= 20 &&
      !/[$<{*[]/.test(secret) &&
      !/^[A-Za-z]+(?:[-_.][A-Za-z]+)*$/.test(secret) &&
      entropyOf(secret) >= 3
    )
  }
  return true
}
