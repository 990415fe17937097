import assert from 'node:assert/strict'
import { test } from 'node:test'
import { badRequest, type KubeObject } from '@orrery/kube'
import { LocalExchange } from '../http/inprocess.js'
import { ConvertingSink } from './convertingsink.js'

const line = (type: string, name: string) =>
  Buffer.from(`${JSON.stringify({ type, object: { apiVersion: 'g/v1', kind: 'K', metadata: { name } } })}\n`)

async function converted(
  convert: (object: KubeObject) => Promise<Buffer>,
  chunks: readonly Buffer[],
): Promise<unknown[]> {
  const exchange = new LocalExchange({ method: 'GET', path: '/' }, undefined)
  const sink = new ConvertingSink(exchange.stream(200, {}), convert)
  for (const chunk of chunks) sink.write(chunk)
  sink.end()
  const text = (await (await exchange.response).bytes()).toString()
  return text
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => JSON.parse(one) as unknown)
}

test('events are converted in their order, bookmarks are passed on', async () => {
  let turns = 3
  const convert = async (object: KubeObject) => {
    // The first takes longest.
    for (let turn = turns--; turn > 0; turn--) await Promise.resolve()
    return Buffer.from(JSON.stringify({ ...object, apiVersion: 'g/v2' }))
  }
  const chunk = Buffer.concat([line('ADDED', 'a'), line('MODIFIED', 'b')])
  const events = await converted(convert, [chunk, line('BOOKMARK', 'c')])
  const summary = events.map((event) => {
    const { type, object } = event as { type: string; object: KubeObject }
    return [type, object.apiVersion, object.metadata.name]
  })
  assert.deepEqual(summary, [
    ['ADDED', 'g/v2', 'a'],
    ['MODIFIED', 'g/v2', 'b'],
    ['BOOKMARK', 'g/v1', 'c'],
  ])
})

test('a conversion that fails ends the watch with the reason', async () => {
  const events = await converted(() => Promise.reject(badRequest('no')), [line('ADDED', 'a'), line('ADDED', 'b')])
  assert.equal(events.length, 1)
  const [{ type, object }] = events as [{ type: string; object: { code: number } }]
  assert.deepEqual([type, object.code], ['ERROR', 400])
})
