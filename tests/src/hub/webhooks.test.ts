import type { TestContext } from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import { installHub } from '@orrery/hub'
import { afterwards } from '../support/server.js'
import { HUB_USER, type WebhookSubject, webhookSuite } from './webhook-suite.js'

async function embedded(t: TestContext): Promise<WebhookSubject> {
  const server = await startApiServer({ host: false })
  afterwards(t, () => server.close())
  const client = server.client()
  await installHub(client)
  return { client, hub: server.client({ identity: { ...HUB_USER, uid: '', extra: {} } }) }
}

webhookSuite('embedded', embedded)
