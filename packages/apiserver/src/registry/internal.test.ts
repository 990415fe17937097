import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionRequest } from '../admission/types.js'
import type { PluginContext } from '../server/options.js'
import { testServer } from '../testing/test-server.fixture.js'

const CONFIG_MAPS = { group: '', resource: 'configmaps' }
const PATH = '/api/v1/namespaces/default/configmaps'

test('InternalClient.change: an unchanged object is not admitted again, a changed one and an unchanged PUT are', async (t) => {
  let context: PluginContext | undefined
  const updates: string[] = []
  const observer = {
    name: 'Observer',
    validate({ operation, resource, name }: AdmissionRequest) {
      if (operation === 'UPDATE' && resource.plural === 'configmaps' && name === 'one') updates.push(name)
    },
  }
  const { client } = await testServer(t, {
    admission(given) {
      context = given
      return [observer]
    },
  })
  const created = await client.create(PATH, { metadata: { name: 'one' } })
  const internal = (context as PluginContext | undefined)?.client
  const same = await internal?.change(CONFIG_MAPS, 'default', 'one', (live) => live)
  assert.equal(same?.metadata.resourceVersion, created.metadata.resourceVersion)
  assert.deepEqual(updates, [])
  await internal?.change(CONFIG_MAPS, 'default', 'one', (live) => ({ ...live, data: { a: '1' } }))
  assert.deepEqual(updates, ['one'])
  await client.update(`${PATH}/one`, await client.get(`${PATH}/one`))
  assert.deepEqual(updates, ['one', 'one'])
})
