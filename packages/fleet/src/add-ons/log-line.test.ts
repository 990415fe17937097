import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tellingLine } from './log-line.js'

const CRASH = `file:///add-on/main.mjs:12
    throw new TypeError('no such flag')
          ^

TypeError: no such flag
    at file:///add-on/main.mjs:12:11
    at ModuleJob.run (node:internal/modules/esm/module_job:271:25) {
}

Node.js v20.19.0
`

for (const [what, log, expected] of [
  ['the error of a stack trace', CRASH, 'TypeError: no such flag'],
  ['the last error', 'Error: first: a\nError: second: b\nstopping\n', 'Error: second: b'],
  ['a denial', 'started\nconfigmaps is forbidden: User "a" cannot list\nstopping\n', /^configmaps is forbidden/],
  [
    'the last line without an error',
    'started\nhello: flags: --name is required\n\n',
    'hello: flags: --name is required',
  ],
  ['nothing of an empty log', '\n', undefined],
  ['the beginning of a long line', 'x'.repeat(1_000), `${'x'.repeat(300)}…`],
] as const) {
  test(`tellingLine: returns ${what}`, () => {
    const line = tellingLine(log)
    if (expected instanceof RegExp) assert.match(line ?? '', expected)
    else assert.equal(line, expected)
  })
}
