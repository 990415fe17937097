import { after, test } from 'node:test'
import { WEBHOOK_SECRET } from '@orrery/api'
import { installHub } from '@orrery/hub'
import { Namespace, Secret } from '@orrery/kinds'
import { clientFrom } from '@orrery/kube'
import { defaultSource, fixedSource } from '@orrery/kube/kubeconfig'
import { eventually } from '@orrery/kube/testing'
import { removeWebhooks } from '@orrery/webhook'
import { HUB_USER, SUITE_NAMESPACE, type WebhookSubject, webhookSuite } from './webhook-suite.js'

/** It makes the cluster a hub, and the cluster must reach this machine: it only runs on request. */
if (process.env.ORRERY_TEST_HOST === undefined) {
  test('hub webhooks', { skip: 'ORRERY_TEST_HOST says where the API server reaches this machine' })
} else {
  const config = await defaultSource().read()
  const client = await clientFrom(fixedSource(config))
  const { username: user, groups } = HUB_USER
  const hub = await clientFrom(fixedSource({ ...config, impersonate: { user, groups } }))
  after(async () => {
    await cleanUp()
    client.close()
    hub.close()
  })

  const cleanUp = async () => {
    await removeWebhooks(client)
    await client.ensureDeleted(Secret, WEBHOOK_SECRET)
    await client.ensureDeleted(Namespace, { name: SUITE_NAMESPACE })
    await eventually(
      'the namespace is gone',
      async () => (await client.find(Namespace, { name: SUITE_NAMESPACE })) === undefined,
    )
  }

  webhookSuite('on the cluster of the kubeconfig', async (): Promise<WebhookSubject> => {
    await installHub(client)
    await cleanUp()
    return { client, hub }
  })
}
