import assert from 'node:assert/strict'
import { test } from 'node:test'
import { program } from '../../program.js'
import { completions } from './complete.js'
import { SCRIPTS, SHELLS } from './scripts.js'

const NAMES: Readonly<Record<string, readonly string[]>> = {
  '--clusters': ['edge1', 'edge2', 'lab'],
  clusterset: ['default', 'eu'],
  placement: ['api', 'web'],
  score: ['usage'],
}

/** What is offered for a command line whose last word is being typed. */
function offered(...words: string[]): Promise<string[]> {
  return completions(program(), words, async (name) => NAMES[name] ?? [])
}

test('completions: offers visible commands', async () => {
  const commands = await offered('')
  assert.ok(commands.includes('up') && commands.includes('get') && commands.includes('help'))
  assert.ok(commands.every((name) => !name.startsWith('__')))
  assert.deepEqual(await offered('get', 'c'), ['clusters', 'clustersets'])
})

test('completions: offers options and their known values', async () => {
  assert.deepEqual(await offered('accept', '--c'), ['--clusters', '--context'])
  assert.deepEqual(await offered('get', 'clusters', '-o', ''), ['table', 'wide', 'json', 'yaml'])
  assert.deepEqual(await offered('get', 'clusters', '--output=j'), ['--output=json'])
  assert.deepEqual(await offered('get', 'clusters', '--output', '=', 'j'), ['json'])
  assert.deepEqual(await offered('completion', ''), ['bash', 'zsh', 'fish'])
})

test('completions: offers each name once in a comma-separated list', async () => {
  assert.deepEqual(await offered('accept', '--clusters', 'e'), ['edge1', 'edge2'])
  assert.deepEqual(await offered('accept', '--clusters', 'edge1,'), ['edge1,edge2', 'edge1,lab'])
  assert.deepEqual(await offered('accept', '--clusters=edge1,l'), ['--clusters=edge1,lab'])
  assert.deepEqual(await offered('clusterset', 'set', ''), ['default', 'eu'])
  assert.deepEqual(await offered('get', 'clustersets', 'default', 'e'), ['eu'])
  assert.deepEqual(await offered('get', 'decisions', '-n', 'shop', 'w'), ['web'])
  assert.deepEqual(await offered('describe', 'placement', ''), ['api', 'web'])
  assert.deepEqual(await offered('explain', 'placement', 'w'), ['web'])
  assert.deepEqual(await offered('get', 'scores', ''), ['usage'])
  assert.deepEqual(await offered('create', 'placement', ''), [])
})

test('completions: an option with a value does not take the next word', async () => {
  assert.deepEqual(await offered('accept', '--skip-approve-check', '--clusters', 'l'), ['lab'])
  assert.deepEqual(await offered('--data', 'x', 'get', 'tok'), ['token'])
  assert.deepEqual(await offered('create', 'work', 'w', '-f', 'x'), [])
  assert.deepEqual(await offered('fly', ''), [])
})

test('completions: passes options to the value finder, including flags', async () => {
  const asked: unknown[] = []
  await completions(program(), ['delete', 'work', '--placement', 'a/b', '--replicaset', ''], async (name, options) => {
    asked.push([name, options])
    return []
  })
  assert.deepEqual(asked, [['work', { placement: 'a/b', replicaset: '' }]])
})

test('completion scripts: call the same command in every shell', () => {
  for (const shell of SHELLS) assert.match(SCRIPTS[shell], /orrery __complete -- /)
})
