import type { TestContext } from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import { installHub } from '@orrery/hub'
import { KubeClient } from '@orrery/kube'
import { afterwards } from '../support/server.js'
import { HUB_USER, type WebhookSubject, webhookSuite } from './webhook-suite.js'

async function embedded(t: TestContext): Promise<WebhookSubject> {
  const server = await startApiServer({ host: false })
  afterwards(t, () => server.close())
  const client = new KubeClient(server.client())
  await installHub(client)
  return { client, hub: new KubeClient(server.client({ ...HUB_USER, uid: '', extra: {} })) }
}

webhookSuite('embedded', embedded)
