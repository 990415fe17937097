import { hexText, utf8Bytes } from '@orrery/kinds/values'

const ROUNDS = 64
const primes = firstPrimes(ROUNDS)
/** The fractions of square roots (the first state) and of cube roots (a constant for each round) of primes. */
const INITIAL = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const CONSTANTS = primes.map((prime) => fraction(Math.cbrt(prime)))

/**
 * SHA-256 of a text in UTF-8, as hexadecimal digits (FIPS 180-4). Browsers have only an asynchronous one, and names are
 * made where nothing can wait.
 */
export function sha256Hex(text: string): string {
  const message = padded(utf8Bytes(text))
  const state = Int32Array.from(INITIAL)
  for (let at = 0; at < message.byteLength; at += 64) addBlock(state, schedule(message, at))
  const digest = new DataView(new ArrayBuffer(32))
  for (const [index, word] of state.entries()) digest.setInt32(4 * index, word)
  return hexText(new Uint8Array(digest.buffer))
}

/** The message, a one bit, zeros, and its length in bits: a multiple of 64 bytes. */
function padded(bytes: Uint8Array): DataView {
  const message = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  message.set(bytes)
  message[bytes.length] = 0x80
  const view = new DataView(message.buffer)
  view.setBigUint64(message.length - 8, BigInt(bytes.length) * 8n)
  return view
}

function schedule(message: DataView, at: number): Int32Array {
  const words = new Int32Array(ROUNDS)
  const word = (index: number): number => words[index] as number
  for (let i = 0; i < 16; i++) words[i] = message.getInt32(at + 4 * i)
  for (let i = 16; i < ROUNDS; i++) {
    const [early, late] = [word(i - 15), word(i - 2)]
    const mixed = (rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3)) + word(i - 7)
    words[i] = word(i - 16) + mixed + (rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10))
  }
  return words
}

function addBlock(state: Int32Array, words: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = [...state] as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < ROUNDS; i++) {
    const choice = (e & f) ^ (~e & g)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const first =
      (h +
        (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
        choice +
        (CONSTANTS[i] as number) +
        (words[i] as number)) |
      0
    const second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority
    ;[a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g]
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] as number) + word
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0
}

function firstPrimes(count: number): number[] {
  const found: number[] = []
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n)
  return found
}
