// Writes to the store in argv[2] until it is killed, and prints each acknowledged write: a line `key revision value`
// for a write, `key revision` for a removal.
import { writeSync } from 'node:fs'
import { openStore } from './open.js'
import { encodeObject } from './testing.fixture.js'

const [, , directory = '', seed = '0'] = process.argv
const KEYS = 40
const WRITERS = 8

const store = await openStore(directory, { retention: { maxChanges: 300 } })
let count = 0

async function writeForEver(writer: number): Promise<never> {
  for (;;) {
    const name = `n${writer + WRITERS * (count % (KEYS / WRITERS))}`
    const value = `${seed}-${count++}-${'x'.repeat((count * 7919) % 5000)}`
    const head = store.head('things', 'ns', name)
    if (head !== undefined && count % 5 === 0) {
      const { revision } = await store.remove('things', 'ns', name, head, encodeObject(name, 'gone'))
      writeSync(1, `${name} ${revision}\n`)
    } else {
      const { revision } = await store.put('things', 'ns', name, head, encodeObject(name, value))
      writeSync(1, `${name} ${revision} ${value}\n`)
    }
  }
}

await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeForEver(writer)))
