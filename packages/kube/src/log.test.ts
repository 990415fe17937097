import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger, type LogFields, type LoggerOptions } from './log.js'

function capture(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = []
  const now = () => new Date('2026-01-02T03:04:05.678Z')
  return { lines, log: createLogger({ now, write: (line) => lines.push(line), ...options }) }
}

function logged(fields: LogFields): Record<string, unknown> {
  const { lines, log } = capture()
  log.info('seen', fields)
  return JSON.parse(lines[0]!) as Record<string, unknown>
}

test('createLogger: writes a JSON object with time, level, component and message on each line', () => {
  const { lines, log } = capture({ component: 'http' })
  log.child('watch').info('watch closed', { kind: 'Pod', namespace: 'default', events: 3 })
  assert.deepEqual(JSON.parse(lines[0]!), {
    kind: 'Pod',
    namespace: 'default',
    events: 3,
    time: '2026-01-02T03:04:05.678Z',
    level: 'info',
    component: 'http.watch',
    message: 'watch closed',
  })
  assert.ok(lines[0]!.endsWith('\n'))
})

test('createLogger: drops lines below the level', () => {
  const { lines, log } = capture({ level: 'warn' })
  log.debug('a')
  log.info('b')
  log.warn('c')
  log.error('d')
  assert.equal(lines.length, 2)
  const levels = ['debug', 'info', 'warn', 'error'] as const
  assert.deepEqual(
    levels.filter((level) => log.child('x').enables(level)),
    ['warn', 'error'],
  )
})

test('createLogger: has a text format for terminals', () => {
  const { lines, log } = capture({ format: 'text' })
  log.warn('slow disk', { file: '/data/log', milliseconds: 12, note: 'two words' })
  assert.equal(lines[0], '03:04:05.678 WARN  slow disk file=/data/log milliseconds=12 note="two words"\n')
})

test('createLogger: redacts secrets', () => {
  const fields = logged({
    token: 'abcdef.0123456789abcdef',
    headers: { Authorization: 'Bearer x', accept: 'json' },
    clientSecret: 'x',
    password: 'x',
    object: { kind: 'Secret', data: { k: 'eA==' }, stringData: { k: 'x' } },
    list: [{ bearerToken: 'x' }],
    tokenId: 'abcdef',
    secretName: 'db',
  })
  assert.deepEqual(fields.headers, { Authorization: '[redacted]', accept: 'json' })
  assert.equal(fields.token, '[redacted]')
  assert.equal(fields.clientSecret, '[redacted]')
  assert.equal(fields.password, '[redacted]')
  assert.deepEqual(fields.object, { kind: 'Secret', data: '[redacted]', stringData: '[redacted]' })
  assert.deepEqual(fields.list, [{ bearerToken: '[redacted]' }])
  assert.equal(fields.tokenId, 'abcdef')
  assert.equal(fields.secretName, 'db')
})

test('createLogger: limits errors, cycles and huge values', () => {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  const fields = logged({
    error: new Error('no', { cause: new Error('why') }),
    cycle,
    bytes: Buffer.alloc(9),
    big: 'x'.repeat(20_000),
  })
  const error = fields.error as { message: string; cause: { message: string } }
  assert.equal(error.message, 'no')
  assert.equal(error.cause.message, 'why')
  assert.equal(fields.bytes, '9 bytes')
  assert.ok((fields.big as string).length < 9_000)
})

test('createLogger: a field cannot override the message or the level', () => {
  const line = logged({ message: 'forged', level: 'debug' })
  assert.equal(line.message, 'seen')
  assert.equal(line.level, 'info')
})

test('createLogger: escapes characters that terminals act on', () => {
  const note = '\u001b[2J \u009b2J \u202egnp.exe \r\n WARN forged'
  for (const format of ['json', 'text'] as const) {
    const { lines, log } = capture({ format })
    log.info('seen', { note })
    assert.match(lines[0]!, /^[^\p{Cc}\p{Cf}\u2028\u2029]*\n$/u)
    if (format === 'json') assert.equal((JSON.parse(lines[0]!) as { note: string }).note, note)
  }
})
