import type { Random } from './random.js'

/** A copy of bytes with a few of them changed, moved, doubled, cut or invented. */
export function mangled(random: Random, bytes: Buffer): Buffer {
  let current = bytes
  for (let change = random.below(4); change >= 0; change--) current = mangledOnce(random, Buffer.from(current))
  return current
}

function mangledOnce(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length + 1)
  const length = random.below(8)
  switch (random.below(7)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      if (at < bytes.length) bytes[at] = random.below(256)
      return bytes
    case 2:
      if (at < bytes.length) bytes[at] = (bytes[at] as number) ^ (1 << random.below(8))
      return bytes
    case 3:
      return Buffer.concat([bytes.subarray(0, at), random.bytes(length), bytes.subarray(at)])
    case 4:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
    case 5:
      return Buffer.concat([bytes.subarray(0, at), random.pick(TOKENS), bytes.subarray(at)])
    default:
      return Buffer.concat([bytes, bytes.subarray(at)])
  }
}

/** Pieces with a meaning to one parser or another. */
const TOKENS: readonly Buffer[] = [
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  ':',
  ',',
  'null',
  'NaN',
  '1e999',
  '-',
  '9223372036854775808',
  '"__proto__":{"x":1},',
  '\n---\n',
  '&a *a ',
  '!!binary ',
  '<<: ',
  '\t',
]
  .map((text) => Buffer.from(text))
  .concat([
    Buffer.from([0xff, 0xfe]),
    Buffer.from([0xc0, 0x80]),
    Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]),
    Buffer.alloc(3),
  ])
