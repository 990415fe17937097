import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { AgentPorts } from './agent-ports.js'

test('AgentPorts: every cluster has a port of its own and keeps it, also after a damaged file', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-ports-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const file = join(directory, 'agents.json')
  const ports = new AgentPorts(file, [])
  const [a, b, again] = await Promise.all([ports.of('a'), ports.of('b'), ports.of('a')])
  assert.notEqual(a, b)
  assert.equal(again, a)
  assert.equal(await new AgentPorts(file, []).of('b'), b)
  await writeFile(file, '[')
  assert.ok((await new AgentPorts(file, []).of('a')) > 0)
})
