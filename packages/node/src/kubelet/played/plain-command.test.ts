import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endingOf } from './plain-command.js'

const FOREVER = Number.POSITIVE_INFINITY

test('endingOf: returns how simple commands end', () => {
  const cases: [string[], number, number][] = [
    [['true'], 0, 0],
    [['/bin/false'], 0, 1],
    [['sleep', '90'], 90_000, 0],
    [['/usr/bin/sleep', '1.5m'], 90_000, 0],
    [['sleep', 'infinity'], FOREVER, 0],
    [['tail', '-f', '/dev/null'], FOREVER, 0],
    [['/pause'], FOREVER, 0],
    [['sh', '-c', 'exit 3'], 0, 3],
    [['/bin/bash', '-ec', 'echo hello; sleep 2 && exit 1'], 2_000, 1],
    [['sh', '-c', 'false && sleep 5'], 0, 1],
    [['sh', '-c', 'false\nexit'], 0, 1],
    [['sh', '-c', 'exit 2; sleep 5'], 0, 2],
    [['sh', '-c', 'while true; do date; sleep 10; done'], FOREVER, 0],
    [['sh', '-c', 'sleep inf; exit 1'], FOREVER, 0],
  ]
  for (const [command, after, exitCode] of cases) {
    assert.deepEqual(endingOf(command), { after, exitCode }, command.join(' '))
  }
})

test('endingOf: returns undefined for everything else', () => {
  const cases = [
    [],
    ['nginx', '-g', 'daemon off;'],
    ['sh'],
    ['sh', 'run.sh'],
    ['sleep'],
    ['sleep', '1', '2'],
    ['sleep', 'tomorrow'],
    ['sh', '-c', 'exit $CODE'],
    ['sh', '-c', 'echo a | grep b'],
    ['sh', '-c', 'echo $(date)'],
    ['sh', '-c', 'if [ -r /data/x ]; then exit 0; else exit 1; fi'],
    ['sh', '-c', 'sleep 5 & wait'],
  ]
  for (const command of cases) assert.equal(endingOf(command), undefined, command.join(' '))
})
