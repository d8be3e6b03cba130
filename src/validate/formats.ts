// The common `format`s of JSON Schema, each in time linear in the text. Unknown formats are not checked.

export const formats: { readonly [name: string]: (text: string) => boolean } = {
  date: isDate,
  time: isTime,
  'date-time': (text) => /^.{10}[Tt]/.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
  email: isEmail,
  uri: (text) => /^[a-z][a-z\d+.-]*:[\w.~:/?#[\]@!$&'()*+,;=%-]*$/i.test(text) && !/%(?![\da-f]{2})/i.test(text),
  uuid: (text) => /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i.test(text),
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
}

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  if (!parts) return false
  const [year = 0, month = 0, day = 0] = parts.slice(1).map(Number)
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 && isLeap ? 29 : (daysOfMonths[month - 1] ?? 0)
  return day >= 1 && day <= days
}

/** With its offset, as RFC 3339 asks. A leap second is a second. */
function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i.test(text)
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const name = text.slice(0, at)
  if (at < 1 || name.length > 64 || !isHostname(text.slice(at + 1))) return false
  return !/[\s@"(),:;<>[\]\\\u0000-\u001f\u007f]/.test(name) && !/^\.|\.\.|\.$/.test(name)
}

function isHostname(text: string): boolean {
  if (text.length > 253) return false
  return text.split('.').every((label) => label.length <= 63 && /^[\p{L}\d](?:[\p{L}\d-]*[\p{L}\d])?$/u.test(label))
}

function isIpv4(text: string): boolean {
  return (
    text.length <= 15 && /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text) && !/(?:^|\.)0\d/.test(text)
  )
}

function isIpv6(text: string): boolean {
  if (text.length > 45) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1)
  const endsInIpv4 = last?.includes('.') === true && !text.endsWith('::')
  if (endsInIpv4 && !isIpv4(last)) return false
  const hex = endsInIpv4 ? groups.slice(0, -1) : groups
  const length = hex.length + (endsInIpv4 ? 2 : 0)
  return hex.every((group) => /^[\da-f]{1,4}$/i.test(group)) && (halves.length === 2 ? length < 8 : length === 8)
}
