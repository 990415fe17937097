import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import { HubServer } from './hub-server.js'
import { documentedPermissions, installedPermissions, roleNames } from './permission-tables.js'

const GUIDE = new URL('../../../docs/reference/permissions.md', import.meta.url)

test('docs/reference/permissions.md: lists every permission of every role that a hub installs, and no other', async (t) => {
  const empty = await startApiServer({ host: false })
  t.after(() => empty.close())
  const before = await roleNames({ client: empty.client() })
  const hub = await HubServer.start(t)
  const installed = await installedPermissions(hub, before)
  assert.ok(Object.keys(installed).length >= 6)
  const text = await readFile(GUIDE, 'utf8')
  const rendered = Object.entries(installed).map(([heading, lines]) => `### ${heading}\n\n${lines.join('\n')}\n`)
  assert.deepEqual(documentedPermissions(text), installed, `the section should be:\n\n${rendered.join('\n')}`)
})
