import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { Transport } from '@orrery/kube/client'
import type { ClientConfig } from '@orrery/kube/kubeconfig'
import { FakeClock } from '@orrery/kube/testing'
import { HubConnection } from './hub-connection.js'

const configWith = (text: string): ClientConfig => ({ server: 'https://hub', clientCertificate: { text } })

test('HubConnection: sends requests with the latest certificate, and ends earlier ones when theirs expires', async () => {
  const clock = new FakeClock()
  const sent: string[] = []
  const closed: string[] = []
  const connect = ({ clientCertificate }: ClientConfig): Transport => {
    const { text } = clientCertificate as { text: string }
    return {
      request: async () => {
        sent.push(text)
        return { status: 200, headers: {}, body: Readable.from([]), bytes: async () => Buffer.alloc(0) }
      },
      close: () => closed.push(text),
    }
  }
  const after = (minutes: number) => new Date(clock.now().getTime() + minutes * 60_000)
  const connection = new HubConnection(connect, clock, configWith('first'), after(10))
  const request = () => connection.request({ method: 'GET', path: '/' })
  await request()
  connection.use(configWith('first'), after(10))
  connection.use(configWith('second'), after(60))
  await request()
  clock.advance(9 * 60_000)
  assert.deepEqual(closed, [])
  clock.advance(60_000)
  assert.deepEqual(closed, ['first'])
  connection.use(configWith('third'), after(90))
  await request()
  connection.close()
  assert.deepEqual(closed, ['first', 'second', 'third'])
  assert.deepEqual(sent, ['first', 'second', 'third'])
  assert.equal(clock.waiting, 0)
})
