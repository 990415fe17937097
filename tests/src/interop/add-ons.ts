import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { applyManifests, readBundle } from '@orrery/fleet'
import type { KubeObject } from '@orrery/kinds'
import type { Programs } from '@orrery/node'
import { parseAllDocuments } from 'yaml'
import type { HubOfTest } from './hubs.js'
import { OCM_BIN, OcmProgram } from './ocm.js'
import { inOwnNetwork } from './own-network.js'
import { serviceAccountKubeconfig } from './service-account.js'

/** An add-on that a test can install. */
export interface AddOnOfTest {
  /** The programs of its images. */
  readonly programs: Programs
  /** Whether the copies of ConfigMaps and the Lease of its agent are deleted with it. */
  readonly cleansUp: boolean
  /** Installs it on a hub. Resolves with the programs that the test runs for it. */
  install(t: Pick<TestContext, 'after'>, hub: HubOfTest): Promise<readonly OcmProgram[]>
}

const NAMESPACE = 'open-cluster-management'
const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url))
const IMAGE = 'quay.io/open-cluster-management/addon-examples'

/** An example of this repository. Its controller runs as a pod of the hub. */
export async function exampleAddOn(name: string): Promise<AddOnOfTest> {
  const { manifests, programs } = await readBundle(join(EXAMPLES, name))
  return {
    programs,
    cleansUp: true,
    async install(_, hub) {
      await apply(hub, await objectsIn(manifests))
      return []
    },
  }
}

/** The unmodified helloworld of addon-framework, with its own manifests. */
export function upstreamHelloworld(): Promise<AddOnOfTest> {
  return upstreamAddOn('helloworld', 'helloworld-addon-sa')
}

/** The unmodified helloworld of addon-framework for hosted mode, with its own manifests. */
export function upstreamHostedHelloworld(): Promise<AddOnOfTest> {
  return upstreamAddOn('helloworld_hosted', 'helloworldhosted-addon-sa')
}

async function upstreamAddOn(name: string, account: string): Promise<AddOnOfTest> {
  const program = join(OCM_BIN, name)
  const directory = join(OCM_BIN, '..', name)
  if (!existsSync(program)) {
    throw new Error(`${program} is not there: node tools/interop/prepare-helloworld.mjs builds it`)
  }
  return {
    // The image has no entry point: its containers name the program in their arguments.
    programs: { [IMAGE]: { command: [], commands: { [`/${name}`]: [program] } } },
    cleansUp: false,
    async install(t, hub) {
      const files = (await readdir(directory)).map((file) => join(directory, file))
      // Controller and agent listen on the same port, and pods of the embedded node share the network of the machine.
      const objects = (await objectsIn(files)).filter(({ kind }) => kind !== 'Deployment')
      await apply(hub, objects.map(inItsNamespace))
      const kubeconfig = await serviceAccountKubeconfig(hub, NAMESPACE, account)
      const command = [program, 'controller', `--kubeconfig=${kubeconfig}`]
      return [OcmProgram.run(t, await inOwnNetwork(t, hub.server.url, command))]
    },
  }
}

async function objectsIn(files: readonly string[]): Promise<KubeObject[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  return texts.flatMap((text) => parseAllDocuments(text)).map((document) => document.toJSON() as KubeObject)
}

/** As the kustomization of upstream does. */
function inItsNamespace(object: KubeObject): KubeObject {
  if (/^Cluster/.test(object.kind)) return object
  return { ...object, metadata: { ...object.metadata, namespace: NAMESPACE } }
}

function apply({ client }: HubOfTest, objects: readonly KubeObject[]): Promise<void> {
  return applyManifests(client, objects, AbortSignal.timeout(60_000))
}
