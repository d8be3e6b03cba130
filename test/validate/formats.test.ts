import { expect, test } from 'vitest'
import { formats } from '../../src/validate/formats.ts'

test.each<[string, readonly string[], readonly string[]]>([
  [
    'date',
    ['2024-02-29', '1999-12-31', '2000-02-29'],
    ['2023-02-29', '1900-02-29', '2024-13-01', '2024-1-1', '2024-04-31', ''],
  ],
  ['time', ['12:00:00Z', '23:59:60z', '01:02:03.456+02:00'], ['24:00:00Z', '12:00', '12:00:00', '12:60:00Z']],
  [
    'date-time',
    ['2024-02-29T12:00:00Z', '2024-01-01t00:00:00.1-05:30'],
    ['2024-02-30T12:00:00Z', '2024-01-01', '2024-01-01 00:00:00Z', '2024-01-01T00:00:00'],
  ],
  [
    'email',
    ['a@b.co', 'first.last+tag@example.com', 'ü@localhost'],
    ['a', '@b.co', 'a@', 'a b@c.de', '.a@b.co', 'a..b@c.de', 'a@b_c', 'a@-b.c'],
  ],
  [
    'uri',
    ['https://example.com/a?b=c#d', 'urn:isbn:1', 'mailto:a@b.co', 'file:///x%20y'],
    ['/relative', 'https://exa mple', 'x', 'http://a/%zz', ''],
  ],
  [
    'uuid',
    ['123e4567-e89b-12d3-a456-426614174000', '123E4567-E89B-12D3-A456-426614174000'],
    ['123e4567e89b12d3a456426614174000', 'g23e4567-e89b-12d3-a456-426614174000'],
  ],
  ['hostname', ['example.com', 'localhost', 'a-b.c'], ['', '-a.b', 'a..b', `${'a'.repeat(64)}.com`]],
  [
    'ipv4',
    ['127.0.0.1', '255.255.255.255', '0.0.0.0'],
    ['256.0.0.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.4.', '1.2.3.a'],
  ],
  [
    'ipv6',
    ['::', '::1', 'fe80::1', '2001:db8:0:0:0:0:0:1', '::ffff:192.0.2.1', '1:2:3:4:5:6:7::'],
    [
      '',
      ':',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '12345::',
      'g::',
      '::ffff:256.0.0.1',
      'fe80::1%eth0',
      '1.2.3.4::',
      '1:2:3:4:5:6:7:8::',
    ],
  ],
])('%s', (name, good, bad) => {
  for (const text of good) expect([text, formats[name]?.(text)]).toEqual([text, true])
  for (const text of bad) expect([text, formats[name]?.(text)]).toEqual([text, false])
})

test('no format is slow on a long text', () => {
  for (const check of Object.values(formats)) {
    for (const unit of ['a', '1', 'a.', '1:', '@', '%', '2024-', 'a-']) check(unit.repeat(500_000))
  }
})
