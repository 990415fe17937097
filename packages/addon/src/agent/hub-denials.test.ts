import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigMap } from '@orrery/kinds'
import { isForbidden, KubeClient } from '@orrery/kube'
import { HubDenials } from './hub-denials.js'

const NAMES = { namespace: 'c1', name: 'report' }

/** A hub that answers every request with the same status and body. */
function hub() {
  const answer = { status: 200, text: '{}' }
  const denials = new HubDenials({
    async request() {
      const bytes = Buffer.from(answer.text)
      const body = (async function* () {
        yield bytes
      })()
      return { status: answer.status, headers: {}, body, bytes: () => Promise.resolve(bytes) }
    },
  })
  let changes = 0
  denials.subscribe(() => changes++)
  return { answer, denials, client: new KubeClient(denials), changes: () => changes }
}

const denial = (message: string) => ({
  status: 403,
  text: JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message }),
})

test('HubDenials: has what the hub denies until the same request succeeds, and passes the error on', async () => {
  const { answer, denials, client, changes } = hub()
  assert.equal(denials.problem, undefined)
  Object.assign(answer, denial('configmaps "report" is forbidden: User "a" cannot get resource "configmaps"'))
  for (let attempt = 0; attempt < 2; attempt++) {
    await assert.rejects(client.get(ConfigMap, NAMES), (error: Error) => {
      assert.ok(isForbidden(error))
      assert.match(error.message, /User "a" cannot get resource/)
      return true
    })
  }
  assert.equal(
    denials.problem,
    'the hub denies requests of the agent: configmaps "report" is forbidden: User "a" cannot get resource "configmaps": grant these ' +
      'permissions in registration.permissions of the add-on',
  )
  assert.equal(changes(), 1, 'the same denial is no change')
  Object.assign(answer, { status: 200, text: '{"items":[]}' })
  await client.list(ConfigMap, { namespace: 'c2' })
  assert.ok(denials.problem !== undefined, 'another request says nothing')
  Object.assign(answer, { status: 404, text: denial('').text.replace('403', '404') })
  await client.find(ConfigMap, NAMES).catch(() => undefined)
  assert.ok(denials.problem !== undefined, 'a request that fails otherwise says nothing')
  Object.assign(answer, { status: 200, text: '{}' })
  await client.get(ConfigMap, NAMES)
  assert.equal(denials.problem, undefined)
  assert.equal(changes(), 2)
})

test('HubDenials: shortens messages, and counts those that are not shown', async () => {
  const { answer, denials, client } = hub()
  for (let n = 0; n < 30; n++) {
    Object.assign(answer, n === 0 ? { status: 403, text: 'x'.repeat(10_000) } : denial(`denied ${n}`))
    await client.get(ConfigMap, { namespace: 'c1', name: `report-${n}` }).catch(() => undefined)
  }
  assert.match(denials.problem ?? '', /agent: x{300}…; denied 1; denied 2; and 17 more: grant/)
})
