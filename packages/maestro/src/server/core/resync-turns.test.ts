import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MaestroError } from '../errors.js'
import { ResyncTurns } from './resync-turns.js'

test('ResyncTurns: answers four requests of a subject at a time, and others at once', async () => {
  const turns = new ResyncTurns()
  const started: string[] = []
  const ends: (() => void)[] = []
  const answer = (name: string) => () => {
    started.push(name)
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => turns.run('c1', 10, answer(name)))
  all.push(turns.run('c2', 10, answer('other')))
  assert.deepEqual(started, ['a', 'b', 'c', 'd', 'other'])
  ends[0]?.()
  await all[0]
  assert.deepEqual(started, ['a', 'b', 'c', 'd', 'other', 'e'])
  for (const end of ends) end()
  await Promise.all(all)
})

test('ResyncTurns: refuses requests of a subject that does not read the answers, and no others', async () => {
  const turns = new ResyncTurns()
  let end: () => void = () => undefined
  const unread = () => new Promise<void>((resolve) => (end = resolve))
  const first = turns.run('c1', 10_000_000, unread)
  const refused = turns.run('c1', 1, unread)
  await assert.rejects(refused, (error) => error instanceof MaestroError && error.kind === 'Unavailable')
  await turns.run('c2', 1, async () => undefined)
  end()
  await first
  await turns.run('c1', 1, async () => undefined)
})
