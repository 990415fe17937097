import type { TestContext } from 'node:test'
import { HUB_NAMESPACE } from '@orrery/api'
import { startApiServer } from '@orrery/apiserver'
import { HUB_SERVICE_ACCOUNT, installHub } from '@orrery/hub'
import { KubeClient } from '@orrery/kube'
import { type WebhookSubject, webhookSuite } from './webhooksuite.js'

async function embedded(t: TestContext): Promise<WebhookSubject> {
  const server = await startApiServer({ host: false })
  t.after(() => server.close())
  const client = new KubeClient(server.client())
  await installHub(client)
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${HUB_NAMESPACE}`, 'system:authenticated']
  const username = `system:serviceaccount:${HUB_NAMESPACE}:${HUB_SERVICE_ACCOUNT}`
  return { client, hub: new KubeClient(server.client({ username, uid: '', groups, extra: {} })) }
}

webhookSuite('embedded', embedded)
