import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { applyManifests, readBundle } from '@orrery/fleet'
import { installHub } from '@orrery/hub'
import type { KubeObject } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { parseAllDocuments } from 'yaml'
import { prepareSpoke, serveCluster, whenJoined } from './fleet-parts.js'
import { runHelloworld } from './helloworld.js'
import { ocmAgents } from './ocm-agents.js'
import { serveOnlyV1Alpha1, startOcmHub } from './ocm-hub.js'

const CLUSTER = 'c1'
const EXAMPLE = fileURLToPath(new URL('../../../examples/helloworld', import.meta.url))

/** Runs the example on a hub and a cluster with components of Open Cluster Management only. */
async function runExample(t: TestContext, prepare: (hub: KubeClient) => Promise<void>): Promise<void> {
  const { manifests, programs } = await readBundle(EXAMPLE)
  const hub = await serveCluster(t, 'hub', programs)
  await installHub(hub.client)
  await prepare(hub.client)
  const { programs: controllers, bootstrapToken } = await startOcmHub(t, hub)

  const managed = await prepareSpoke(await serveCluster(t, CLUSTER, programs))
  const agents = await ocmAgents(t, hub, bootstrapToken, managed, CLUSTER)
  const registration = await agents.startRegistration()
  await whenJoined(hub.client, CLUSTER, [...controllers, registration])
  const work = await agents.startWork()

  const texts = await Promise.all(manifests.map((file) => readFile(file, 'utf8')))
  const objects = texts.flatMap((text) => parseAllDocuments(text)).map((document) => document.toJSON() as KubeObject)
  await applyManifests(hub.client, objects, AbortSignal.timeout(60_000))
  await runHelloworld({
    hub: hub.client,
    managed: managed.client,
    cluster: CLUSTER,
    cleansUp: true,
    programs: [...controllers, registration, work],
  })
}

test("interop: the example helloworld runs on a hub with OCM's controllers and agents", (t) =>
  runExample(t, async () => undefined))

test('interop: the example helloworld runs on such a hub that serves add-ons in v1alpha1 only', (t) =>
  runExample(t, serveOnlyV1Alpha1))
