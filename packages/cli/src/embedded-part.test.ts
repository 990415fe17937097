import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'

const MODULE = new URL('./embedded-part.js', import.meta.url).href

test('runPart: ends the process of a part that failed to start, whatever the part has left open', async () => {
  const script = `
    import { runPart } from ${JSON.stringify(MODULE)}
    const fail = async () => {
      setInterval(() => undefined, 1_000)
      throw new Error('a controller cannot start')
    }
    runPart({}, fail).catch((error) => {
      process.stderr.write(error.message)
      process.exitCode = 1
    })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 30_000,
  })
  const errors: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  const [code, signal] = await once(child, 'close')
  assert.deepEqual([code, signal, Buffer.concat(errors).toString()], [1, null, 'a controller cannot start'])
})
