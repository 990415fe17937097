import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { badRequest } from '@orrery/kinds/values'
import { LocalExchange } from '../http/in-process.js'
import { ConvertingSink } from './converting-sink.js'

const line = (type: string, name: string) =>
  Buffer.from(`${JSON.stringify({ type, object: { apiVersion: 'g/v1', kind: 'K', metadata: { name } } })}\n`)

async function converted(
  convert: (object: KubeObject) => Promise<KubeObject>,
  chunks: readonly Buffer[],
  served?: (object: KubeObject) => boolean,
): Promise<unknown[]> {
  const exchange = new LocalExchange({ method: 'GET', path: '/' }, undefined)
  const sink = new ConvertingSink(exchange.stream(200, {}), {
    convert,
    render: (object) => Buffer.from(JSON.stringify(object)),
    served,
  })
  for (const chunk of chunks) sink.write(chunk)
  sink.end()
  const text = (await (await exchange.response).bytes()).toString()
  return text
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => JSON.parse(one) as unknown)
}

test('ConvertingSink: converts events in order and passes bookmarks on', async () => {
  let turns = 3
  const convert = async (object: KubeObject) => {
    // The first takes longest.
    for (let turn = turns--; turn > 0; turn--) await Promise.resolve()
    return { ...object, apiVersion: 'g/v2' }
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

test('ConvertingSink: ends the watch with the reason if a conversion fails', async () => {
  const events = await converted(() => Promise.reject(badRequest('no')), [line('ADDED', 'a'), line('ADDED', 'b')])
  assert.equal(events.length, 1)
  const [{ type, object }] = events as [{ type: string; object: { code: number } }]
  assert.deepEqual([type, object.code], ['ERROR', 400])
})

test('ConvertingSink: filters by converted objects', async () => {
  const object = (name: string, stored: string, resourceVersion: string) => ({
    apiVersion: 'g/v1',
    kind: 'K',
    metadata: { name, resourceVersion },
    stored,
  })
  const event = (type: string, now: object, previous?: object) =>
    Buffer.from(`${JSON.stringify({ type, object: now, previous })}\n`)
  const red = (name: string, version: string) => object(name, 'red', version)
  const blue = (name: string, version: string) => object(name, 'blue', version)
  const events = await converted(
    async ({ stored, ...rest }) => ({ ...rest, apiVersion: 'g/v2', colour: stored }),
    [
      event('ADDED', red('a', '1')),
      event('ADDED', blue('b', '2')),
      event('MODIFIED', red('b', '3'), blue('b', '2')),
      event('MODIFIED', red('b', '4'), red('b', '3')),
      event('MODIFIED', blue('b', '5'), red('b', '4')),
      event('MODIFIED', blue('b', '6'), blue('b', '5')),
      event('DELETED', blue('b', '7'), blue('b', '6')),
      event('DELETED', red('a', '8'), red('a', '1')),
    ],
    ({ colour }) => colour === 'red',
  )
  const told = (events as { type: string; object: KubeObject }[]).map(({ type, object: { metadata, colour } }) => {
    return `${type} ${metadata.name} ${metadata.resourceVersion} ${String(colour)}`
  })
  assert.deepEqual(told, ['ADDED a 1 red', 'ADDED b 3 red', 'MODIFIED b 4 red', 'DELETED b 5 red', 'DELETED a 8 red'])
})
