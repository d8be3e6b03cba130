import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { vendorShapes } from '../../src/outcome/patterns.ts'
import { createRedactor, looksSecret } from '../../src/outcome/redact.ts'
import { harmless, hex, mixed, privateKey, tokens } from './corpora.ts'

const redactor = createRedactor()

describe('tokens of well-known vendors', () => {
  test.each(tokens.map(([shape, token, around = 'it is "SECRET", so'], at) => ({ shape, token, around, at })))(
    'a $shape is redacted ($at)',
    ({ token, around }) => {
      const text = around.replace('SECRET', token)
      expect(redactor.text(text)).toBe(around.replace('SECRET', '[REDACTED]'))
    },
  )

  test.each(tokens.filter(([, , around]) => around === undefined).map(([shape, token], at) => ({ shape, token, at })))(
    'a $shape is redacted after an escaped line break, in an address and as an argument ($at)',
    ({ token }) => {
      expect(redactor.text(`{"log":"first\\n${token}\\nlast"}`)).toBe('{"log":"first\\n[REDACTED]\\nlast"}')
      expect(redactor.text(`https://x.org/?a%3D${token}&b=1`)).toBe('https://x.org/?a%3D[REDACTED]&b=1')
      expect(redactor.text(`--with=${token} --more`)).toBe('--with=[REDACTED] --more')
    },
  )

  test.each(
    tokens
      .filter(([, , around]) => !around?.includes('Key='))
      .map(([shape, token, around = 'x SECRET x'], at) => ({ shape, token, around, at })),
  )('what only begins like a $shape stays ($at)', ({ token, around }) => {
    const cut = around.replace('SECRET', token.slice(0, 12))
    expect(redactor.text(cut)).toBe(cut)
  })

  test('every shape has a token here, and there are 60 of them at least', () => {
    const tested = new Set(tokens.map(([shape]) => shape))
    expect(vendorShapes.map(({ name }) => name).filter((name) => !tested.has(name))).toEqual([])
    expect(new Set(vendorShapes.map(({ name }) => name)).size).toBeGreaterThanOrEqual(60)
  })
})

describe('secrets told by what stands beside them', () => {
  test.each([
    ['password=hunter2', 'password=[REDACTED]'],
    ['Password: hunter2', 'Password: [REDACTED]'],
    ['password = "correct-Horse-9"', 'password = "[REDACTED]"'],
    ["'passwd' => 'n0tTelling'", "'passwd' => '[REDACTED]'"],
    ['{"password":"swordfish"}', '{"password":"[REDACTED]"}'],
    ['{\\"api_key\\": \\"abc123def456\\"}', '{\\"api_key\\": \\"[REDACTED]\\"}'],
    ['DB_PASSWORD=p@ss(w)&rd1', 'DB_PASSWORD=[REDACTED]'],
    ['export SECRET_KEY_BASE=4f6a8b0c2d4e6f80', 'export SECRET_KEY_BASE=[REDACTED]'],
    ['client_secret: 8a7b6c5d4e3f2a1b', 'client_secret: [REDACTED]'],
    ['const apiKey: string = "a1b2c3d4e5f6"', 'const apiKey: string = "[REDACTED]"'],
    ['x-api-key: a1b2c3d4e5f6', 'x-api-key: [REDACTED]'],
    ['?access_token=a1b2c3d4e5f6&page=2', '?access_token=[REDACTED]&page=2'],
    ['<password>hunter22</password>', '<password>[REDACTED]</password>'],
    ['<input name="csrf_token" value="a1b2c3d4e5f6">', '<input name="csrf_token" value="[REDACTED]">'],
    ['deploy --token a1b2c3d4e5f6 --force', 'deploy --token [REDACTED] --force'],
    ['Server=x;User Id=sa;Password=Sup3r!pw;Encrypt=yes', 'Server=x;User Id=sa;Password=[REDACTED];Encrypt=yes'],
    [`aws_secret_access_key = ${mixed(20)}/${mixed(19)}`, 'aws_secret_access_key = [REDACTED]'],
    [`aws_secret_access_key=/${mixed(39)}`, 'aws_secret_access_key=[REDACTED]'],
    ['token: 3f9a0b7c-2d4e-4185-9f9a-0b7c2d4e6185', 'token: [REDACTED]'],
    ['Cookie: theme=dark; sessionid=a1b2c3d4e5f6a7b8', 'Cookie: theme=dark; sessionid=[REDACTED]'],
    ['https://user:password@host.example/path', 'https://user:[REDACTED]@host.example/path'],
    ['postgres://app:p@ss:w0rd@db:5432/x', 'postgres://app:[REDACTED]@db:5432/x'],
    ['redis://:s3cret@cache', 'redis://:[REDACTED]@cache'],
    [`https://${hex(32)}@host/x`, 'https://[REDACTED]@host/x'],
    ['Authorization: Bearer a1b2c3d4e5f6', 'Authorization: Bearer [REDACTED]'],
    ['"authorization": "Token a1b2c3d4e5f6"', '"authorization": "Token [REDACTED]"'],
    [`Authorization: Basic ${btoa('user:pass')}`, 'Authorization: Basic [REDACTED]'],
    [`sent Basic ${btoa('user:pass')} to it`, 'sent Basic [REDACTED] to it'],
    ['got bearer a1b2c3d4e5f6a7', 'got bearer [REDACTED]'],
    ['curl -s -u admin:letmein https://x', 'curl -s -u admin:[REDACTED] https://x'],
    ['machine x login me password letmein', 'machine x login me password [REDACTED]'],
    ["CREATE USER x IDENTIFIED BY 'letmein'", "CREATE USER x IDENTIFIED BY '[REDACTED]'"],
  ])('%s', (text, redacted) => {
    expect(redactor.text(text)).toBe(redacted)
  })

  test.each(harmless)('stays as it is: %s', (text) => {
    expect(redactor.text(text)).toBe(text)
  })
})

test.each([
  ['words without end', `token=${'abcdef-'.repeat(140)}!`],
  ['words and numbers without end', `token="${'abc12de_'.repeat(500)}!"`],
  ['a path without end', `password=/${'a/'.repeat(500)}!`],
  ['names without end', `secret: ${'a.b'.repeat(300)}!`],
  ['digits and then another letter', `token="${'1'.repeat(4000)}é"`],
  ['nothing but names', 'passwordtokensecretkey'.repeat(5000)],
  ['nothing but names and signs', 'password=token:secret="key='.repeat(5000)],
  ['nothing but beginnings of tokens', `${'eyJ'.repeat(5000)}${'-eyJ'.repeat(5000)}${'glpat-'.repeat(5)}`],
  ['nothing but headings', `-----${'BEGIN'} PRIVATE KEY----- `.repeat(3000)],
  ['nothing but addresses', '://a:'.repeat(10_000)],
  ['spaces', `login${' '.repeat(50_000)}password`],
])('a text that tries the patience takes no time to speak of: %s', (_, text) => {
  expect(redactor.text(text.repeat(3)).length).toBeGreaterThan(0)
})

describe('private keys', () => {
  test.each([
    'PRIVATE KEY',
    'RSA PRIVATE KEY',
    'EC PRIVATE KEY',
    'OPENSSH PRIVATE KEY',
    'ENCRYPTED PRIVATE KEY',
    'PGP PRIVATE KEY BLOCK',
  ])('a block of %s is redacted whole', (kind) => {
    expect(redactor.text(`before\n${privateKey(kind)}after\n`)).toBe('before\n[REDACTED]\nafter\n')
  })

  test('with its headers, checksum, and line ends of Windows', () => {
    const key = privateKey('PGP PRIVATE KEY BLOCK')
      .replace('-----\n', '-----\nVersion: 2\nComment: none\n\n')
      .replace('==\n', '==\n=aB3d\n')
    expect(redactor.text(key.replaceAll('\n', '\r\n'))).toBe('[REDACTED]\r\n')
  })

  test('without an end, up to what is no longer part of it', () => {
    const [key = ''] = privateKey().split('-----END')
    expect(redactor.text(`${key}The file ends here.\n`)).toBe('[REDACTED]The file ends here.\n')
    expect(redactor.text(key.slice(0, -40))).toBe('[REDACTED]')
  })

  test('on one line, as JSON has it, ended or not', () => {
    const json = JSON.stringify({
      type: 'service_account',
      private_key: privateKey('PRIVATE KEY'),
      client_email: 'a@b',
    })
    expect(redactor.text(json)).toBe('{"type":"service_account","private_key":"[REDACTED]\\n","client_email":"a@b"}')
    expect(redactor.text(json.slice(0, 300))).toBe('{"type":"service_account","private_key":"[REDACTED]')
  })

  test('indented, quoted, in a diff, and in the lines of a log', () => {
    for (const prefix of ['    ', '> ', '+', 'app-1  | ']) {
      const text = privateKey().replace(/^(?=.)/gm, prefix)
      expect(redactor.text(text)).toBe(`${prefix}[REDACTED]\n`)
    }
  })

  test('in the quoted lines of a program', () => {
    const lines = privateKey().trimEnd().split('\n')
    const program = (end: string) => lines.map((line) => `"${line}${end}" +\n`).join('')
    expect(redactor.text(`${program('\\n')}next`)).toBe('"[REDACTED]\\n" +\nnext')
    expect(redactor.text(`${program('')}next`)).toBe('"[REDACTED]" +\nnext')
  })

  test('of PuTTY', () => {
    const head = 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n'
    const text = `${head}Private-Lines: 2\n${mixed(64)}\n${mixed(20)}=\nPrivate-MAC: ${hex(64)}\n\nnext line`
    expect(redactor.text(text)).toBe(`${head}[REDACTED]next line`)
  })
})

describe('known values', () => {
  const value = 'pa$$/w ör+d?"\\&<x>'
  const known = createRedactor({ values: [value] })

  test.each([
    ['as it is', value],
    ['in JSON', JSON.stringify(value).slice(1, -1)],
    ['in JSON in JSON', JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1)],
    ['in JSON in ASCII', JSON.stringify(value).slice(1, -1).replace('ö', '\\u00f6')],
    ['in an address', encodeURIComponent(value)],
    ['in an address, in small letters', encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase())],
    ['in a form', new URLSearchParams([['', value]]).toString().slice(1)],
    ['in hexadecimal', Buffer.from(value).toString('hex')],
    ['in hexadecimal capitals', Buffer.from(value).toString('hex').toUpperCase()],
  ])('%s', (_, spelling) => {
    expect(known.text(`a ${spelling} b`)).toBe('a [REDACTED] b')
  })

  test('in base64 of any text that it is part of, in both alphabets', () => {
    const inBase64 = fc.record({
      before: fc.string({ unit: 'binary' }),
      after: fc.string({ unit: 'binary' }),
      url: fc.boolean(),
    })
    fc.assert(
      fc.property(inBase64, ({ before, after, url }) => {
        const encoded = Buffer.from(before.toWellFormed() + value + after.toWellFormed()).toString(
          url ? 'base64url' : 'base64',
        )
        const shown = known.text(encoded)
        expect(shown).toContain('[REDACTED]')
        for (const part of shown.split('[REDACTED]')) {
          expect(Buffer.from(part, 'base64').toString('latin1')).not.toContain('w ')
        }
      }),
    )
  })

  test('any value is found in any text, however they overlap', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n', ' ', 'é'), minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 4 }),
        fc.array(letters, { maxLength: 12 }),
        (values, parts) => {
          const shown = createRedactor({ values }).text(parts.join(''))
          for (const { length, secret } of values.map((each) => ({
            length: each.trim().length,
            secret: each.trim(),
          }))) {
            if (length > 0) expect(shown.replaceAll('[REDACTED]', '\0')).not.toContain(secret)
          }
        },
      ),
    )
  })

  test('of one letter, of many lines, and with white space around them', () => {
    expect(createRedactor({ values: ['x'] }).text('an x-ray')).toBe('an [REDACTED]-ray')
    expect(createRedactor({ values: [`one\ntwo\n${mixed(9000)}`] }).text(`: one\ntwo\n${mixed(9000)}.`)).toBe(
      ': [REDACTED].',
    )
    expect(createRedactor({ values: ['  four five \n', ' '] }).text('a four five b')).toBe('a [REDACTED] b')
  })

  test('inside a marker they leave it whole', () => {
    expect(createRedactor({ values: ['ACT'], patterns: ['[A-Z]+'] }).text('[REDACTED] ACT')).toBe(
      '[REDACTED] [REDACTED]',
    )
  })
})

test('a secret taken apart by colours or invisible characters is redacted', () => {
  const [start, end] = [`gh${'p_'}`, mixed(36)]
  expect(redactor.text(`1:\u001b[01;31m${start}\u001b[m\u001b[K${end}`)).toBe('1:[REDACTED]')
  expect(redactor.text(`${start}\u200b${end} and \u001b[1mbold\u001b[0m`)).toBe('[REDACTED] and bold')
  expect(createRedactor({ values: ['a-known-Value'] }).text('a-kno\u001b[0mwn-Value')).toBe('[REDACTED]')
  expect(redactor.text('\u001b[32mok\u001b[0m')).toBe('\u001b[32mok\u001b[0m')
})

test('at the end of a text that was cut off, the beginning of a secret is redacted', () => {
  const known = createRedactor({ values: ['a-known-Value'] })
  const [, token = ''] = tokens[0] ?? []
  expect(known.text('it is a-known', true)).toBe('it is [REDACTED]')
  expect(known.text('it is a-known')).toBe('it is a-known')
  expect(known.text('this is a', true)).toBe('this is a')
  expect(redactor.text(`key ${token.slice(0, 20)}`, true)).toBe('key [REDACTED]')
  expect(redactor.text('a word that was cu', true)).toBe('a word that was cu')
  expect(redactor.text(`${token} is it`, true)).toBe('[REDACTED] is it')
  expect(redactor.text(`now ${token}`, true)).toBe('now [REDACTED]')
})

test('redacting a second time changes nothing', () => {
  const parts = fc.constantFrom(
    ...tokens.map(([, token]) => token),
    ...harmless,
    privateKey(),
    'password=hunter2',
    '[REDACTED]',
    '=',
  )
  const both = createRedactor({ values: ['hunter', 'REDACT'], patterns: ['[A-Z]{4,}'] })
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 8 }), fc.constantFrom(' ', '\n', '"', '; '), (list, separator) => {
      const once = both.text(list.join(separator))
      expect(both.text(once)).toBe(once)
    }),
  )
})

describe('values', () => {
  const token = tokens[0]?.[1] ?? ''

  test('every string is redacted, keys and lists included', () => {
    const value = { a: [{ b: `x ${token}` }, 1, null, true], [token]: 'c', [`${token} `]: 'd' }
    expect(redactor.value(value)).toEqual({
      a: [{ b: 'x [REDACTED]' }, 1, null, true],
      '[REDACTED]': 'c',
      '[REDACTED] ': 'd',
    })
    expect(redactor.value({ [token]: 1, [`${token.slice(0, -1)}9`]: 2 })).toEqual({
      '[REDACTED]': 1,
      '[REDACTED] 2': 2,
    })
    expect(redactor.value(token)).toBe('[REDACTED]')
  })

  test('a field is judged by its name', () => {
    expect(
      redactor.value({
        password: 'hunter2',
        apiKey: 'a1b2c3d4e5f6',
        tokens: ['a1b2c3d4e5f6'],
        headers: { Authorization: 'Bearer a1b2c3d4e5f6', 'x-auth-token': 'a1b2c3d4e5f6' },
        env: [{ name: 'DB_PASSWORD', value: 'hunter2' }],
        argv: ['deploy', '--token', 'a1b2c3d4e5f6', '--verbose'],
      }),
    ).toEqual({
      password: '[REDACTED]',
      apiKey: '[REDACTED]',
      tokens: ['[REDACTED]'],
      headers: { Authorization: 'Bearer [REDACTED]', 'x-auth-token': '[REDACTED]' },
      env: [{ name: 'DB_PASSWORD', value: '[REDACTED]' }],
      argv: ['deploy', '--token', '[REDACTED]', '--verbose'],
    })
  })

  test('a value without secrets is the same value', () => {
    const value = {
      password: 'string',
      tokenId: 'a1b2c3d4e5f6',
      id: '550e8400-e29b-41d4-a716-446655440000',
      list: [{}, [], ''],
      n: Number.NaN,
    }
    expect(redactor.value(value)).toBe(value)
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: true }), (json) => {
        const redacted = redactor.value(json)
        if (JSON.stringify(redacted) === JSON.stringify(json)) expect(redacted).toBe(json)
      }),
    )
  })

  test('a number that is a known value, or has one among its digits, is redacted', () => {
    const card = createRedactor({
      values: ['4929123456781234', '007123', '12345678901234567890', '00000000', '-1.5e300', '47110815'],
    })
    const secret = { pin: 4929123456781234, list: [1471108150.5, 7123, Number('12345678901234567890'), -1.5e300] }
    const marker = '[REDACTED]'
    expect(card.value(secret)).toEqual({ pin: marker, list: [marker, marker, marker, marker] })
    const plain = { n: [0, 1, -1, 4929, 0.5, 1e21, 492912345678123, Number.NaN, Number.POSITIVE_INFINITY] }
    expect(card.value(plain)).toBe(plain)
    expect(createRedactor({ patterns: ['^4[0-9]{15}$'] }).value([4929123456781234, 49])).toEqual([marker, 49])
    expect(redactor.value([4929123456781234])).toEqual([4929123456781234])
  })

  test('an own __proto__ stays own, and 256 levels are walked', () => {
    const odd: unknown = JSON.parse(`{"__proto__": {"password": "hunter2"}}`)
    expect(JSON.stringify(redactor.value(odd))).toBe('{"__proto__":{"password":"[REDACTED]"}}')
    let deep: unknown = token
    for (let level = 0; level < 256; level++) deep = level % 2 ? [deep] : { deep }
    expect(JSON.stringify(redactor.value(deep))).not.toContain(token)
  })
})

describe('what counts as a known secret', () => {
  const isPath = (text: string) => text.startsWith('/usr/') || text === '/bin'

  test.each([
    ['correct horse', true],
    ['a1b2c3d4', true],
    ['pässwört1', true],
    ['a1b2c3d', false],
    ['production', false],
    ['schlüsselwort', false],
    ['1234567890', false],
    ['-1.5e300000', false],
    ['/usr/bin', false],
    ['/usr/local/bin:/usr/bin:/bin', false],
    ['/no/such/path', true],
    ['       a1       ', false],
  ])('%s: %s', (value, secret) => {
    expect(looksSecret(value, isPath)).toBe(secret)
  })
})
