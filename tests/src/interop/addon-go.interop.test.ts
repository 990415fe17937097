import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { applyManifests } from '@orrery/fleet'
import type { KubeObject } from '@orrery/kinds'
import { parseAllDocuments } from 'yaml'
import { runHelloworld } from './helloworld.js'
import { OCM_BIN, OcmProgram } from './ocm.js'
import { startOrreryFleet } from './orrery-fleet.js'
import { inOwnNetwork } from './own-network.js'
import { serviceAccountKubeconfig } from './service-account.js'

const CLUSTER = 'c1'
const NAMESPACE = 'open-cluster-management'
const PROGRAM = join(OCM_BIN, 'helloworld')
const MANIFESTS = join(OCM_BIN, '..', 'helloworld')
const IMAGE = 'quay.io/open-cluster-management/addon-examples'

/** The manifests of upstream in the namespace that its kustomization sets, without the Deployment of the controller. */
async function upstreamManifests(): Promise<KubeObject[]> {
  const files = await readdir(MANIFESTS)
  const texts = await Promise.all(files.map((file) => readFile(join(MANIFESTS, file), 'utf8')))
  return texts
    .flatMap((text) => parseAllDocuments(text))
    .map((document) => document.toJSON() as KubeObject)
    .filter(({ kind }) => kind !== 'Deployment')
    .map((manifest) => ({
      ...manifest,
      metadata: { ...manifest.metadata, ...(!/^Cluster/.test(manifest.kind) && { namespace: NAMESPACE }) },
    }))
}

test("interop: addon-framework's helloworld runs on an Orrery hub with Orrery's agent", async (t) => {
  if (!existsSync(PROGRAM)) {
    throw new Error(`${PROGRAM} is not there: node tools/interop/prepare-helloworld.mjs builds it`)
  }
  // Upstream's image has no entry point: its containers name the program in their arguments.
  const programs = { [IMAGE]: { command: [], commands: { '/helloworld': [PROGRAM] } } }
  const { hub, managed } = await startOrreryFleet(t, CLUSTER, programs)
  await applyManifests(hub.client, await upstreamManifests(), AbortSignal.timeout(60_000))
  const kubeconfig = await serviceAccountKubeconfig(hub, NAMESPACE, 'helloworld-addon-sa')
  // The controller and the agent listen on the same port.
  const command = [PROGRAM, 'controller', `--kubeconfig=${kubeconfig}`]
  const controller = OcmProgram.run(t, await inOwnNetwork(t, hub.server.url, command))
  await runHelloworld({
    hub: hub.client,
    managed: managed.client,
    cluster: CLUSTER,
    // Its agent never deletes copies.
    cleansUp: false,
    programs: [controller],
  })
})
