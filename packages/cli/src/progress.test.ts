import assert from 'node:assert/strict'
import test from 'node:test'
import type { PartState } from '@orrery/fleet'
import { Progress } from './progress.js'

function shown(isTTY: boolean, size = { columns: 60, rows: 24 }) {
  let text = ''
  let now = 0
  const write = (piece: string) => {
    text += piece
  }
  const progress = new Progress({ isTTY, ...size, write }, () => now)
  const update = (seconds: number, state: Partial<PartState> & Pick<PartState, 'name' | 'phase'>) => {
    now = seconds * 1000
    progress.update({ since: '', restarts: 0, ...state })
  }
  return { progress, update, text: () => text }
}

test('Progress: prints one line per change without a terminal', () => {
  const { update, text } = shown(false)
  update(0.1, { name: 'hub', phase: 'starting' })
  update(0.2, { name: 'hub', phase: 'starting', url: 'https://h' })
  update(1.25, { name: 'hub', phase: 'ready', url: 'https://h' })
  update(2, { name: 'hub', phase: 'restarting', detail: 'gone\u001b[2J' })
  assert.equal(
    text(),
    [
      'hub          0.1 s  starting',
      'hub          1.3 s  ready  https://h',
      'hub          2.0 s  restarting: gone�[2J',
      '',
    ].join('\n'),
  )
})

test('Progress: redraws one line per part on a terminal', () => {
  const { progress, update, text } = shown(true)
  update(0.1, { name: 'hub', phase: 'starting' })
  update(0.2, { name: 'cluster1', phase: 'starting' })
  update(1, { name: 'hub', phase: 'ready', url: 'https://h' })
  const frames = text().split('\u001b[2K… hub')
  assert.equal(frames.length, 3)
  assert.ok(
    text().endsWith(
      '\u001b[2A\u001b[2K✔ hub          1.0 s  ready  https://h\n\u001b[2K… cluster1     0.2 s  starting\n',
    ),
  )
  progress.print('stopping')
  update(2, { name: 'hub', phase: 'stopped' })
  assert.ok(text().includes('stopping\n\u001b[2K… hub          2.0 s  stopped\n'))
})

test('Progress: prints one line per change on a terminal that is too small', () => {
  const { update, text } = shown(true, { columns: 0, rows: 2 })
  update(0.1, { name: 'hub', phase: 'starting' })
  update(0.2, { name: 'cluster1', phase: 'starting' })
  assert.equal(text(), '\u001b[2K… hub          0.1 s  starting\ncluster1     0.2 s  starting\n')
})

test('Progress: shows a denied cluster with the command that accepts it', () => {
  const { update, text } = shown(true, { columns: 100, rows: 24 })
  update(0.5, { name: 'cluster1', phase: 'denied', detail: 'run `orrery accept --clusters cluster1`' })
  assert.equal(text(), '\u001b[2K✖ cluster1     0.5 s  denied by the hub: run `orrery accept --clusters cluster1`\n')
})
