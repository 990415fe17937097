// The Kubernetes release that the tables are derived from, as Go modules: their checksums are verified by Go.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The tag to change when the tables should follow a newer release. */
export const KUBERNETES_TAG = 'v1.36.3'

/** The published modules of what is below `staging/` in the tag. */
const STAGED = ['api', 'apiextensions-apiserver', 'apimachinery', 'kube-aggregator']
const STAGED_VERSION = KUBERNETES_TAG.replace(/^v1/, 'v0')

/**
 * Returns a directory with the needed parts of the release's source tree. Downloads them unless Go has them already.
 */
export function kubernetesSource() {
  const modules = [`k8s.io/kubernetes@${KUBERNETES_TAG}`, ...STAGED.map((name) => `k8s.io/${name}@${STAGED_VERSION}`)]
  const places = new Map(modulePlaces(modules).map(({ Path, Dir }) => [Path, Dir]))
  const root = new URL(`../../.cache/kubernetes-${KUBERNETES_TAG}/`, import.meta.url).pathname
  rmSync(root, { recursive: true, force: true })
  mkdirSync(join(root, 'staging/src/k8s.io'), { recursive: true })
  symlinkSync(join(places.get('k8s.io/kubernetes'), 'api'), join(root, 'api'))
  for (const name of STAGED) symlinkSync(places.get(`k8s.io/${name}`), join(root, 'staging/src/k8s.io', name))
  return root
}

function modulePlaces(modules) {
  // Outside of any module, so that the requirements of other modules do not count.
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off' }
  const text = execFileSync('go', ['mod', 'download', '-json', ...modules], {
    cwd: tmpdir(),
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const found = text
    .trim()
    .split(/\n(?=\{)/)
    .map((one) => JSON.parse(one))
  const missing = found.find(({ Dir }) => Dir === undefined || !existsSync(Dir))
  if (missing !== undefined) throw new Error(`Go has no source of ${missing.Path}: ${missing.Error}`)
  return found
}
