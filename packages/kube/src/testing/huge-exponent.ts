import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'

const PRIVATE_EXPONENT = 65537n

/**
 * An RSA key with a public exponent as long as its modulus: verifying its signatures is expensive, making them is
 * not.
 */
export function hugeExponent(modulusLength: number): { privateKey: KeyObject; publicKey: KeyObject } {
  for (;;) {
    const key = generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ format: 'jwk' })
    const [p, q] = [numberOf(key.p), numberOf(key.q)]
    const exponent = inverseOf(PRIVATE_EXPONENT, (p - 1n) * (q - 1n))
    if (exponent === undefined) continue
    const privateKey = createPrivateKey({
      format: 'jwk',
      key: {
        ...key,
        e: textOf(exponent),
        d: textOf(PRIVATE_EXPONENT),
        dp: textOf(PRIVATE_EXPONENT % (p - 1n)),
        dq: textOf(PRIVATE_EXPONENT % (q - 1n)),
      },
    })
    return { privateKey, publicKey: createPublicKey(privateKey) }
  }
}

function numberOf(text = ''): bigint {
  return BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`)
}

function textOf(number: bigint): string {
  const digits = number.toString(16)
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString('base64url')
}

/** By Euclid's algorithm; undefined if there is none. */
function inverseOf(number: bigint, modulus: bigint): bigint | undefined {
  let [rest, next] = [modulus, number % modulus]
  let [factor, nextFactor] = [0n, 1n]
  while (next !== 0n) {
    const quotient = rest / next
    ;[rest, next] = [next, rest - quotient * next]
    ;[factor, nextFactor] = [nextFactor, factor - quotient * nextFactor]
  }
  return rest === 1n ? ((factor % modulus) + modulus) % modulus : undefined
}
