import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WatchSink } from '../watch/types.js'
import { tableSink } from './table-sink.js'

const table = (name: string) => `{"metadata":{},"columnDefinitions":null,"rows":[{"cells":["${name}"]}]}\n`

const ignore = () => undefined

test('tableSink: sends headers only with the first table of a watch', () => {
  const written: string[] = []
  const inner: WatchSink = {
    write(chunk) {
      written.push(chunk.toString())
      return true
    },
    onDrain: ignore,
    onClose: ignore,
    end: ignore,
    destroy: ignore,
  }
  const sink = tableSink(inner, Buffer.from('"columnDefinitions":[1]'))
  sink.write(Buffer.from(table('a') + table('b')))
  sink.write(Buffer.from(table('"columnDefinitions":null')))
  assert.deepEqual(written, [table('a').replace('null', '[1]') + table('b'), table('"columnDefinitions":null')])
})
