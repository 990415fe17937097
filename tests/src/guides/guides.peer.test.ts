// Runs in a process of its own: the guides share a fleet.
import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.js'
import { Guide, Terminal } from './guide.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const FLEET_IS_UP = /The fleet is running/

let root: string
/** The terminal in which the fleet runs. */
let first: Terminal
const terminals: Terminal[] = []

/** A new terminal of the reader, in a clone with installed packages. */
function terminalAt(home: string): Terminal {
  const PATH = [join(root, 'bin'), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(':')
  // A test runner inside of another one would print nothing.
  const { ORRERY_DATA: _, KUBECONFIG: __, NODE_TEST_CONTEXT: ___, ...rest } = process.env
  const terminal = new Terminal(join(root, 'clone'), { ...rest, HOME: join(root, home), PATH })
  terminals.push(terminal)
  return terminal
}

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'guides-'))
  for (const name of ['bin', 'clone', 'home/.kube', 'other']) await mkdir(join(root, name), { recursive: true })
  for (const name of ['node_modules', 'examples']) await symlink(join(ROOT, name), join(root, 'clone', name))
  await symlink(join(ROOT, '.cache/peers/bin/kubectl-37'), join(root, 'bin/kubectl'))
  first = terminalAt('home')
  // An existing cluster, which the reader's kubeconfig names.
  await terminalAt('home').start('orrery apiserver --data ./existing --port 0', /ready at/)
  await copyFile(join(root, 'clone/existing/kubeconfig'), join(root, 'home/.kube/config'))
  await first.run('kubectl config rename-context "$(kubectl config current-context)" edge')
})

after(async () => {
  await first.run('orrery down')
  for (const terminal of terminals) await terminal.close()
  await rm(root, { recursive: true, force: true, maxRetries: 5 })
})

const followed: string[] = []

function guide(page: string, steps: (guide: Guide, terminal: Terminal) => Promise<void>): void {
  followed.push(page)
  test(`${page}: every command succeeds and prints what the guide shows`, async () => {
    const terminal = terminalAt('home')
    await Guide.follow(page, terminal, (guide) => steps(guide, terminal))
  })
}

guide('docs/tutorial/first-fleet.md', async (guide, terminal) => {
  await guide.in(first).start(FLEET_IS_UP, ['npm install\n', ''])
  guide.printed()
  await guide.run(/^cluster2 +true .*^hello .*^cluster2 /ms)
  await guide.run(/^cluster1 +greeting +True.*text: hello/ms)
  await guide.run(/condition met\n.*"greeting" deleted/s)
  await guide.run(/^cluster2 +web +True/m)
  await guide.start(/successfully rolled out\n.*:\d\d:\d\d/)
  await terminal.interrupt()
})

guide('docs/tasks/write-a-score-calculator.md', async (guide, terminal) => {
  const another = terminalAt('home')
  await guide.run(/Switched to context "hub"/)
  await guide.start(/controllers started/)
  await guide.in(another).run(/condition met\n(.*\n)*cluster1 +cluster1-claims +0 /)
  await writeFile(join(root, 'clone/most-claims.yaml'), guide.manifest())
  await guide.in(another).run(/condition met\n\[\{"clusterName":"cluster1".*"score":0/)
  await guide.in(another).run(/cluster2-claims condition met\n\S+most-claims-decision-1 condition met$/m)
  await terminal.interrupt()
  await guide.in(another).run(/"most-claims" deleted(.*\n)*.*"cluster2-claims" deleted/)
})

guide('docs/tasks/operate-a-hub.md', async (guide) => {
  await guide.run(/^hub /m)
  await guide.in(first).start(FLEET_IS_UP, ['git pull && npm install && ', ''])
})

guide('docs/placement.md', async (guide) => {
  await guide.run(/cluster2 labeled/)
  await guide.run(/condition met/)
  guide.printed()
  await guide.run(/FilteredOut/)
  guide.printed()
  await guide.run(/condition met/)
  guide.printed()
  await writeFile(join(root, 'clone/what-if.yaml'), guide.manifest())
  await guide.run(/NotSelected/)
  guide.printed()
  await guide.run(/"shop" deleted/)
})

guide('docs/addons.md', async (guide, terminal) => {
  const another = terminalAt('home')
  await guide.start(/The fleet is running/)
  guide.printed()
  await guide.in(another).run(/configmap\/hello created\n.*condition met\n\{"value":"helloworld"\}$/)
  await guide
    .in(another)
    .run(/^basic-addon-controller-.* Running (.*\n)*.*addon-helloworld-deploy-0 .*(.*\n)*.*helloworld-hub-kubeconfig /m)
  await guide.in(another).run(/stopped the fleet/)
  await terminal.close()
  await guide.run(/^# pass 1$/m)
  await guide.start(/Save a file to restart the add-on/, ['orrery addon dev', 'orrery addon dev node-report'])
  await guide.in(another).run(/Condition +NodesReady +True \(AllNodesReady\): 1 of 1 nodes are ready/)
  await guide.in(another).run(/controllers started(.*\n)*.*agent started/)
  assert.match(guide.commandsWithContainers(), /podman build .* examples\/helloworld$/m)
  await guide.in(another).run(/deployment\.apps\/helloworld-controller created$/m)
  const images = await another.run('kubectl --context hub get deployments -A -o jsonpath="{..image} {..value}"')
  assert.equal(images.match(/registry\.example\.com\/helloworld:latest/g)?.length, 2)
  assert.equal(guide.commandsWithContainers(), 'orrery addon status helloworld --context hub\n')
  await terminal.interrupt()
})

guide('docs/adapters.md', async (guide, terminal) => {
  assert.match(guide.typescript(), /applyAndReport\(/)
  const another = terminalAt('home')
  const operator = terminalAt('home')
  await guide.run(/namespace\/clusters created/)
  await guide.in(operator).start(/controllers started/)
  await guide.run(/^/)
  await guide.run(/ManifestWorkCreated(.*\n)*Available=True ControlPlaneReady(.*\n)*.*"control_plane_endpoint"/)
  guide.printed()
  await operator.interrupt()
  await guide.run(/stopped the fleet/)
  await guide.in(terminalAt('home')).run(/^Result: success$/m)
  guide.printed()
  // The variables of the first step are exported in the reader's terminal.
  await terminal.run('export HYPERFLEET_ADAPTER_CONFIG=adapter-config.yaml HYPERFLEET_TASK_CONFIG=task-config.yaml')
  const report = await guide.run(/"adapter":"controlplane"/)
  for (const condition of ['Applied', 'Available', 'Health'])
    assert.ok(report.includes(`"type":"${condition}"`), condition)
  const [port, metrics] = [String(await freePort()), String(await freePort())]
  await guide.start(/taking events at/, ['8085', port], ['9090', metrics])
  await guide.in(another).run(/"status":/, ['8085', port])
  await terminal.interrupt()
  // Another test runs it: `tests/src/hyperfleet/kubernetes.test.ts`.
  assert.match(guide.manifest(), /client: kubernetes/)
})

guide('docs/kubevirt.md', async (guide) => {
  await guide.run(/The fleet is running(.*\n)*Switched to context "cluster1"/)
  await writeFile(join(root, 'clone/vm.yaml'), guide.manifest())
  await guide.run(
    /condition met\n(.*\n)*\S+\/web +\S+ +Running +True\n(.*\n)*\S+\/web-root +Succeeded +100\.0%(.*\n)*virt-launcher-web-/,
  )
  await guide.run(/^(\S+ condition met\s*){3}$/)
  await guide.run(/"web" deleted(.*\n)*.*stopped the fleet/)
  // `tests/src/kubevirt/qemu.peer.test.ts` runs guests with registered images.
  assert.deepEqual(Object.keys(JSON.parse(guide.json())), ['quay.io/containerdisks/debian', 'example.com/kernel'])
  assert.match(guide.manifest(), /image: quay\.io\/containerdisks\/debian:12\n(.*\n)*.*cloudInitNoCloud:/)
})

guide('docs/vms.md', async (guide) => {
  const watcher = terminalAt('home')
  await guide.run(/The fleet is running(.*\n)*cluster2 +True +True (.*\n)*demo-vm +running +Running +demo +cluster1 /)
  await guide.run(/Switched to context "demo"\.\nyes$/m)
  await guide.in(watcher).start(/^ADDED +demo-vm +running .* is running$/m)
  await guide.run(/^cirros +public (.*\n)*vm demo\/web is running\n(.*\n)*web +running (.*\n)*Why: +is running$/m)
  await watcher.interrupt()
  await guide.run(/^(.*\n)*vm demo\/web is stopped\n(.*\n)*vm demo\/web is paused\n(.*\n)*vm demo\/web is running\n$/)
  await guide.run(
    /^demo\/big: quota of virtual data center demo exceeded: .*orrery vdc update demo(.*\n)*vm demo\/big is deleted$/m,
  )
  await guide.run(/"id":"demo\.web".*"total":2\}HTTP\/1\.1 202 [\s\S]*^location: \/api\/v1\/operations\/demo\.op-/im)
  await guide.run(
    /^virtualdatacenter\.ovim\.io\/demo +cluster1 +Active (.*\n)*.*VMRestart +cluster1 +web +Completed (.*\n)*.*\/web condition met$/m,
  )
  await guide.run(/^web +\S+ +Running +True$/m)
  await guide.run(/^vm demo\/web is deleted$/m)
  await guide.run(/^vm acme\/db is running\n(.*\n)*acme +db +running +Running +dev +cluster2 /m)
  await guide.run(/^zone cluster2 uncordoned\n(.*\n)*Schedulable: +True, AgentReady/m)
  await guide.run(
    /^cluster1 +Available +True (.*\n)*.*"action":"VMDelete"(.*\n)* {2}"state": "(Healthy|Degraded)",\n(.*\n)*.*VMDeleteCompleted/m,
  )
  await guide.run(/stopped the fleet/)
})

guide('docs/maestro.md', async (guide, terminal) => {
  const another = terminalAt('home')
  await guide.in(another).run(/^cluster1 /m)
  await writeFile(join(root, 'clone/hello-work.yaml'), guide.manifest())
  await guide
    .in(another)
    .run(/work cluster1\/hello created(.*\n)*.*condition met(.*\n)*cluster1 +hello +True .*good-morning/)
  await guide.in(another).run(/work cluster1\/hello deleted/)
  await guide.in(another).run(/"total":2.*"name":"cluster1".*stopped the fleet/s)
  const flags = ['http-server', 'grpc-server', 'grpc-broker', 'health-check-server', 'metrics-server']
  const ports = await Promise.all(flags.map(() => freePort()))
  const options = flags.map((flag, index) => `--${flag}-bindport ${ports[index]}`).join(' ')
  await guide.start(/is ready on 127\.0\.0\.1/, ['maestro server', `maestro server ${options}`])
  await guide.in(another).run(/"name":"c1".*"ResourceBundleList"/s, ['8000', String(ports[0])])
  await guide.in(another).run(/\{"status": ?"ok"\}/, ['8083', String(ports[3])])
  const deleted = /^consumer c1 deleted$/m
  await guide.in(another).run(deleted, ['8000', String(ports[0])], ['8090', String(ports[1])])
  await guide.in(another).run(/^204$/m, ['8000', String(ports[0])])
  await terminal.interrupt()
  assert.match(guide.manifest(), /^brokerHost: /)
  assert.match(guide.manifest(), /^kind: ClusterRole$/m)
  assert.match(guide.manifest(), /^rules:/)
})

guide('docs/tasks/report-to-the-hub.md', async (guide) => {
  const printed = await guide.run(/"totalPods":/)
  for (const expected of ['PodCountWithinLimit', '"namespaceCount"', 'basic-addon.k8s-version', '"readyReplicas"']) {
    assert.ok(printed.includes(expected), expected)
  }
  await guide.run(/^cluster1 +Feedback +deployments\/basic-addon-agent\/readyReplicas +1/m)
  for (const helper of ['reportConfigMap', 'reportCondition', 'reportScore', 'reportClaim', 'feedback']) {
    assert.ok(guide.typescript().includes(`${helper}(`), helper)
  }
  await guide.run(/deployment\.apps\/web condition met/)
  await writeFile(join(root, 'clone/fewest-pods.yaml'), guide.manifest())
  await guide.run(/condition met\n(.*\n)*cluster2 +Selected (.*\n)*cluster1 +NotSelected /)
  await guide.run(/stopped the fleet/)
})

guide('docs/tasks/back-up-and-restore.md', async (guide) => {
  await guide.run(/^wrote .*hub\.bak$/m)
  await guide.in(first).start(FLEET_IS_UP)
  await guide.run(/^hub /m)
})

guide('docs/tasks/join-a-cluster.md', async (guide, terminal) => {
  await guide.run(/hub\.kubeconfig/)
  await guide.start(/joined/)
  await guide.run(/edge/)
  await guide.run(/^edge +True +True +True /m)
  await terminal.interrupt()
  // The hub of the fleet in place of one of Open Cluster Management.
  const { token, ca, server } = JSON.parse(await terminal.run('orrery get token -o json')) as Record<string, string>
  await writeFile(join(root, 'clone/hub.crt'), ca ?? '')
  await guide.start(/joined/, ['https://hub:6443', server ?? ''], ['$TOKEN', token ?? ''])
})

guide('docs/tasks/move-off-failing-clusters.md', async (guide) => {
  await writeFile(join(root, 'clone/drill.yaml'), guide.manifest())
  const explained = await guide.run(/placement\.\S+ condition met\n(.*\n)*cluster1 +Selected /)
  assert.match(explained, /^edge +Selected /m, 'it works with more clusters than those of the tutorial')
  await guide.run(
    /condition met\n(.*\n)*cluster1 +FilteredOut (.*\n)*drill +drill +1 +True .*\nDrill is 10, and was below 50 for 2s$/,
  )
  await guide.run(/condition met\n(.*\n)*cluster1 +Selected (.*\n)*.*"drill" deleted/)
})

guide('docs/tasks/detach-a-cluster.md', async (guide, terminal) => {
  await terminal.run('cp ~/.orrery/fleet/kubeconfig hub-admin.kubeconfig')
  await guide.run(/edge.*cluster2/s)
  const clusters = await guide.run(/^cluster1 /m)
  assert.doesNotMatch(clusters, /^(edge|cluster2) /m)
  await terminal.run('export KUBECONFIG=~/.orrery/fleet/kubeconfig')
  await guide.run(/patched/, [' edge ', ' cluster1 '], ['WORK', 'hello'])
  await guide.run(/patched/, [' edge ', ' cluster1 '])
  await terminal.run('orrery accept --clusters cluster1')
})

guide('docs/tasks/join-from-another-machine.md', async (guide) => {
  const machine = terminalAt('other')
  const port = String(await freePort())
  await guide.in(machine).run(FLEET_IS_UP, ['7443', port], ['192.0.2.10', '127.0.0.1'])
  const printed = await guide.in(machine).run(/orrery join --hub-apiserver/)
  const [, token = '', ca = ''] = /--hub-token (\S+).*--ca-data (\S+)/s.exec(printed) ?? []
  const address = ['192.0.2.10:7443', `127.0.0.1:${port}`] as const
  await guide.start(/joined/, address, ['$TOKEN', token], ['$CA', ca])
  await guide.in(machine).run(/^edge +True +True +True /m)
  await machine.run('orrery down')
})

guide('docs/tasks/run-the-api-server.md', async (guide) => {
  const port = String(await freePort())
  await guide.start(/ready at/, ['./cluster', `./cluster --port ${port}`])
  await guide.run(/^kube-system +Active/m)
  await guide.run(/cluster\.bak/)
  await guide.run(/readyz check passed/, ['6443', port])
})

guide('docs/tasks/run-a-hub-on-an-existing-cluster.md', async (guide, terminal) => {
  const file = ['FILE', '~/.kube/config'] as const
  await guide.run(/ is a hub\..*orrery join --hub-apiserver/s, file)
  const { name, version } = JSON.parse(await readFile(join(ROOT, 'packages/cli/package.json'), 'utf8'))
  assert.match(guide.dockerfile(), new RegExp(`^COPY ${name}-${version}\\.tgz `, 'm'), 'the file that npm pack writes')
  await writeFile(join(root, 'clone/hub.yaml'), guide.manifest())
  await terminal.run('kubectl apply -f hub.yaml')
  await guide.run(/^CRDs: +all served$/m, file)
})

guide('docs/tasks/remove-a-hub.md', async (guide, terminal) => {
  await guide.run(/stopped the fleet/)
  await terminal.run('kubectl config rename-context edge prod')
  await guide.run(/No resources found/)
  await guide.run(/"open-cluster-management-hub" deleted/)
})

test('docs: all guides with commands are followed', async () => {
  const pages: string[] = []
  for (const directory of ['docs', 'docs/tutorial', 'docs/tasks']) {
    for (const name of await readdir(join(ROOT, directory))) {
      if (!name.endsWith('.md')) continue
      const page = `${directory}/${name}`
      if (/^ *```(sh|yaml)$/m.test(await readFile(join(ROOT, page), 'utf8'))) pages.push(page)
    }
  }
  assert.deepEqual(followed.toSorted(), pages.sort())
})
