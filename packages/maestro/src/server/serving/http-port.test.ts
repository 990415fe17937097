import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { systemClock } from '@orrery/kube/clock'
import { silentLogger } from '@orrery/kube/log'
import { type HttpPortOptions, openHttpPort } from './http-port.js'

function open(t: TestContext, options: Partial<HttpPortOptions>) {
  const port = openHttpPort({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    serve: async (_, response) => void response.end('ok'),
    readTimeoutMs: 60_000,
    writeTimeoutMs: 60_000,
    clock: systemClock,
    log: silentLogger,
    ...options,
  })
  t.after(async () => (await port).close())
  return port
}

test('openHttpPort: finishes the requests in flight, and accepts no others, when it closes', async (t) => {
  const { promise: begun, resolve: begin } = deferred<ServerResponse>()
  const { promise: released, resolve: release } = deferred<void>()
  const port = await open(t, {
    async serve(_, response) {
      begin(response)
      await released
      response.end('finished')
    },
  })
  const answer = fetch(`http://127.0.0.1:${port.port}/`)
  await begun
  const closed = port.close()
  await assert.rejects(fetch(`http://127.0.0.1:${port.port}/`))
  release()
  assert.equal(await (await answer).text(), 'finished')
  await closed
})

test('openHttpPort: ends requests whose headers do not end, or are too long', { timeout: 20_000 }, async (t) => {
  const port = await open(t, { readTimeoutMs: 200 })
  const answerTo = async (text: string) => {
    const socket = connect(port.port, '127.0.0.1')
    t.after(() => socket.destroy())
    socket.on('error', () => undefined)
    socket.write(`GET / HTTP/1.1\r\nhost: x\r\n${text}`)
    let answer = ''
    socket.setEncoding('utf8').on('data', (part: string) => {
      answer += part
    })
    await new Promise((resolve) => socket.once('close', resolve))
    return answer.split('\r\n')[0] ?? ''
  }
  assert.equal(await answerTo('a: b\r\n'), 'HTTP/1.1 408 Request Timeout')
  // The connection can be reset before the answer is read.
  assert.match(await answerTo(`a: ${'b'.repeat(300_000)}\r\n\r\n`), /^(HTTP\/1\.1 431 .*)?$/)
})

test('openHttpPort: ends a connection whose client does not read the answer', async (t) => {
  const { promise: ended, resolve: end } = deferred<void>()
  const port = await open(t, {
    writeTimeoutMs: 200,
    async serve(_, response) {
      response.once('close', end)
      response.write(Buffer.alloc(64 * 1024 * 1024))
    },
  })
  const socket = connect(port.port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await ended
})

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
