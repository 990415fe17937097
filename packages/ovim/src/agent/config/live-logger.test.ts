import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger, type LogLevel } from '@orrery/kube/log'
import { withLiveLevel } from './live-logger.js'

test('live logger: follows a level that changes, also in the logs of components', () => {
  const lines: string[] = []
  let level: LogLevel = 'info'
  const log = withLiveLevel(createLogger({ level: 'debug', write: (line) => lines.push(line) }), () => level)
  const child = log.child('vm')
  child.debug('hidden')
  level = 'debug'
  assert.ok(log.enables('debug'))
  child.debug('shown')
  level = 'error'
  log.warn('hidden')
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { message: string }).message),
    ['shown'],
  )
})
