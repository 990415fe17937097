import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isForbidden } from '@orrery/kinds/values'
import { Organization, Template, VirtualDataCenter, VirtualMachineRequest, Zone } from '@orrery/ovim'
import { watchMachines } from '@orrery/ovim/client'
import { afterwards } from '../support/server.js'
import { VmCommands } from './vm-commands.js'

const WEB = { namespace: 'org-acme', name: 'web' }
const ON_CLUSTER = { namespace: 'vdc-acme-dev', name: 'web' }

test('orrery vm, vdc, template, zone, org: a tenant creates, controls and deletes a virtual machine', async (t) => {
  const commands = await VmCommands.start(t)
  const { ovim } = commands
  const run = (...args: string[]) => commands.run(...args)
  const agent = await ovim.connectedAgent('east')
  await commands.addPerson(await ovim.person('alice'))
  await commands.addPerson(await ovim.person('bob'))
  const bob = (...args: string[]) => commands.as('bob', ...args)
  /** The agent executes an operation, and reports the machine when the hub has seen the result. */
  const execute = async (type: string, status: string, more: object = {}) => {
    await agent.complete(type)
    await ovim.when(
      VirtualMachineRequest,
      WEB,
      (vm) => vm.status?.operation?.type === type && vm.status.operation.phase === 'Completed',
    )
    await agent.reportMachines({ ...ON_CLUSTER, status, ...more })
  }

  const none = await run('vm', 'list')
  assert.equal(none.code, 1)
  assert.match(none.errors, /you are not a member of an organization: .*`orrery org create`/)
  const members = ['--admin', 'sa:people/alice', '--user', 'serviceaccount:people/bob']
  const created = await run('org', 'create', 'acme', ...members, '--wait', '30')
  assert.deepEqual(
    [created.code, created.out],
    [0, 'organization acme created\norganization acme is active: members have access\n'],
    created.errors,
  )
  const zones = await bob('zone', 'list')
  assert.match(
    zones.out,
    /^NAME +CONNECTED +SCHEDULABLE +VMS +VDCS +CPU +MEMORY +AGE\neast +True +True +0 +0 +0\/64 +0\/238\.4Gi /,
  )
  assert.match((await run('zone', 'describe', 'east')).out, /^Cluster: +east$(.*\n)*.*^Schedulable: +True, AgentReady/m)

  const denied = await bob('vdc', 'create', 'dev', '--zone', 'east')
  assert.equal(denied.code, 1)
  assert.match(denied.errors, /forbidden(.*\n)*.*Ask an administrator for the permission/)
  const create = commands.as(
    'alice',
    'vdc',
    'create',
    'dev',
    '--zone',
    'east',
    '--cpu',
    '4',
    '--vms',
    '2',
    '--wait',
    '30',
  )
  await agent.complete('VDCCreate')
  const vdc = await create
  assert.equal(vdc.code, 0, vdc.errors)
  assert.match(vdc.out, /^vdc acme\/dev created\nvdc acme\/dev exists in zone east\n$/)
  assert.match((await bob('vdc', 'list')).out, /^dev +Active +east +0\/2 +0\/4 +0 /m)
  const image = ['--container-disk', 'example.com/disk:1', '--memory', '1Gi']
  assert.equal((await run('template', 'create', 'small', ...image, '--public')).out, 'template public/small created\n')
  assert.match((await bob('template', 'list')).out, /^small +public +linux +1 +1Gi +<none> /m)
  assert.match((await bob('template', 'describe', 'small')).out, /^Image: +containerDisk example\.com\/disk:1$/m)

  const mistaken = await bob('vm', 'create', 'web', '--template', 'large')
  assert.deepEqual([mistaken.code, mistaken.errors], [1, 'error: template "large" not found: use small\n'])
  const nowhere = await bob('vm', 'create', 'web', '--template', 'small', '--vdc', 'prod')
  assert.match(nowhere.errors, /virtual data center "prod" not found: use dev/)
  const key = await commands.file('key.pub', 'ssh-ed25519 AAAA bob\n')
  const dry = await bob('vm', 'create', 'web', '--template', 'small', '--dry-run', '--cpu', '2')
  assert.match(dry.out, /^kind: VirtualMachineRequest$(.*\n)*.*^ {2}vdc: dev$/m)
  const starting = bob(
    'vm',
    'create',
    'web',
    '--template',
    'small',
    '--ssh-key',
    key,
    '--labels',
    'tier=web',
    '--wait',
    '30',
  )
  await execute('VMCreate', 'running', { ip_address: '10.0.0.7' })
  const started = await starting
  assert.equal(started.code, 0, started.errors)
  assert.equal(started.out, 'vm acme/web created\nvm acme/web is running\n')
  const { spec } = await ovim.client.get(VirtualMachineRequest, WEB)
  assert.deepEqual([spec.sshKeys, spec.labels, spec.vdc], [['ssh-ed25519 AAAA bob'], { tier: 'web' }, 'dev'])
  const again = await bob('vm', 'create', 'web', '--template', 'small')
  assert.match(again.errors, /virtual machine web already exists: choose another name/)
  const listed = await bob('vm', 'list', '-o', 'wide')
  assert.match(
    listed.out,
    /^NAME +STATUS +REQUESTED +VDC +ZONE +IP +AGE +TEMPLATE +NODE +KUBEVIRT +WHY\nweb +running +Running +dev +east +10\.0\.0\.7 +\d+s +small +<none> +<none> +is running\n$/,
  )
  assert.equal(listed.errors, '')
  const pointer = await bob('vm', 'console', 'web')
  assert.equal(pointer.out, 'virtctl console web --namespace vdc-acme-dev --context east\n')

  const stopping = bob('vm', 'stop', 'web', '--wait', '30')
  await execute('VMStop', 'stopped')
  assert.equal((await stopping).out, 'vm acme/web stop requested\nvm acme/web is stopped\n')
  const stopped = await bob('vm', 'stop', 'web')
  assert.equal(stopped.out, 'vm acme/web is already requested to stop\n')
  for (const action of ['restart', 'pause', 'unpause']) {
    const refused = await bob('vm', action, 'web')
    assert.deepEqual(
      [refused.code, refused.errors],
      [1, 'error: virtual machine web is stopped: start it with `orrery vm start web`\n'],
    )
  }
  assert.match((await bob('vm', 'vnc', 'web')).errors, /virtual machine web is stopped: see `orrery vm describe web`/)
  assert.equal((await bob('vm', 'start', 'web')).out, 'vm acme/web start requested\n')
  await execute('VMStart', 'running')
  await ovim.when(VirtualMachineRequest, WEB, ({ status }) => status?.phase === 'running')
  const restarting = bob('vm', 'restart', 'web', '--wait', '30')
  await execute('VMRestart', 'running')
  assert.equal((await restarting).out, 'vm acme/web restart requested\nvm acme/web is running\n')
  const pausing = bob('vm', 'pause', 'web', '--wait', '30')
  await agent.complete('VMPause')
  assert.equal((await pausing).out, 'vm acme/web pause requested\nvm acme/web is paused\n')
  const continuing = bob('vm', 'unpause', 'web', '--wait', '30')
  await agent.complete('VMUnpause')
  assert.equal((await continuing).out, 'vm acme/web unpause requested\nvm acme/web is running\n')

  const described = await bob('vm', 'describe', 'web')
  for (const line of [
    /^Organization: +acme$/m,
    /^Status: +running$/m,
    /^Why: +is running$/m,
    /^On cluster: +east: namespace vdc-acme-dev, name web$/m,
    /^CPU: +1 \(of the template\)$/m,
    /^Last operation: +VMUnpause Completed \(op-/m,
    /^Events:$(.*\n)*.*Normal +VMCreate /m,
  ]) {
    assert.match(described.out, line)
  }
  assert.match((await bob('vdc', 'describe', 'dev')).out, /^VMs: +1\/2\nNames: +web$/m)
  const organization = await bob('org', 'describe', 'acme')
  assert.match(organization.out, /^Users: +serviceaccount:people\/bob\n(.*\n)*.*^VMs: +1$/m)

  const blocked = await commands.as('alice', 'vdc', 'delete', 'dev', '--wait', '1')
  assert.equal(blocked.code, 1)
  assert.match(
    blocked.errors,
    /vdc acme\/dev is not as requested after 1 s: .*contains 1 virtual machine: delete it first/,
  )
  const deleting = bob('vm', 'delete', 'web', '--wait', '30')
  await agent.complete('VMDelete')
  assert.equal((await deleting).out, 'vm acme/web is being deleted\nvm acme/web is deleted\n')
  const gone = await bob('vm', 'delete', 'web')
  assert.deepEqual(
    [gone.code, gone.errors],
    [1, 'error: virtual machine web not found in organization acme: run `orrery vm list --org acme`\n'],
  )
  assert.equal((await bob('vm', 'delete', 'web', '--ignore-not-found')).code, 0)
  await agent.complete('VDCDelete')
  await ovim.whenGone(VirtualDataCenter, { namespace: 'org-acme', name: 'dev' })
  const noVdc = await commands.as('alice', 'vdc', 'delete', 'dev')
  assert.match(noVdc.errors, /virtual data center dev not found in organization acme/)
  assert.equal((await run('template', 'delete', 'small', '--public')).out, 'template public/small deleted\n')
  const end = await run('org', 'delete', 'acme', '--wait', '30')
  assert.equal(end.out, 'organization acme is being deleted\norganization acme is deleted\n', end.errors)
  for (const [kind, ref] of [
    [Organization, { name: 'acme' }],
    [VirtualDataCenter, { ...WEB, name: 'dev' }],
    [Template, { namespace: 'ovim-system', name: 'small' }],
  ] as const) {
    assert.equal(await ovim.client.find(kind as typeof Organization, ref), undefined)
  }
})

test('orrery vm list, describe: say why a virtual machine does not run, and what to do', async (t) => {
  const commands = await VmCommands.start(t)
  const { ovim } = commands
  const agent = await ovim.connectedAgent('east')
  const { user, admin } = await ovim.organization('acme')
  await ovim.organization('rival')
  await commands.addPerson(user)
  await commands.addPerson(admin, 'org-acme')
  const tenant = (...args: string[]) => commands.as(user.name, ...args)
  await ovim.template()
  await ovim.vdc('acme', 'dev', agent, { quota: { cpu: 1 } })

  const seen: string[] = []
  const stop = new AbortController()
  afterwards(t, () => stop.abort())
  const watching = watchMachines(
    ovim.client,
    'acme',
    ({ type, request, explanation }) => seen.push(`${type} ${request.metadata.name} ${explanation.text}`),
    stop.signal,
  )
  const several = await commands.run('vm', 'list')
  assert.deepEqual(
    [several.code, several.errors],
    [1, 'error: several organizations found: select one with --org: acme, rival\n'],
  )
  const unknown = await commands.run('vm', 'list', '--org', 'nobody')
  assert.match(unknown.errors, /organization "nobody" not found: run `orrery org list`/)
  const foreign = await tenant('vm', 'list', '--org', 'rival')
  assert.match(foreign.errors, /you have no access to organization "rival": use acme, or ask an administrator/)
  assert.match((await tenant('vm', 'list')).errors, /^No virtual machines found in organization acme\./)
  assert.match((await commands.as(admin.name, 'vm', 'list')).errors, /in organization acme/, 'that of the namespace')
  assert.match((await tenant('vm', 'list', '-A')).errors, /forbidden/)

  const tooMuch = await tenant('vm', 'create', 'big', '--template', 'small', '--cpu', '2', '--wait', '30')
  assert.equal(tooMuch.code, 1)
  assert.match(
    tooMuch.errors,
    /error: vm acme\/big: quota of virtual data center dev exceeded: cpu 2 requested, 0 of 1 in use\. .*`orrery vdc update dev`/,
  )
  const listed = await tenant('vm', 'list')
  assert.match(listed.out, /^big +error +Running +dev +<none> +<none> +\d+s$/m)
  assert.match(listed.errors, /^acme\/big: quota of virtual data center dev exceeded/m)
  const raising = commands.as(admin.name, 'vdc', 'update', 'dev', '--cpu', '4', '--wait', '30')
  const delivered = new Map<string, string>()
  await ovim.eventually('the quota and the machine reach the agent', async () => {
    for (const { type, id } of await agent.poll()) delivered.set(type, id)
    return delivered.has('VDCUpdate') && delivered.has('VMCreate')
  })
  await agent.result(delivered.get('VDCUpdate') ?? '', 'completed')
  assert.match((await raising).out, /^vdc acme\/dev updated\nvdc acme\/dev exists in zone east\n$/)
  const big = { namespace: 'org-acme', name: 'big' }
  await agent.result(delivered.get('VMCreate') ?? '', 'failed', { error: 'the image is not there' })
  await ovim.when(VirtualMachineRequest, big, ({ status }) => status?.operation?.phase === 'Failed')
  const failed = await tenant('vm', 'describe', 'big')
  assert.match(
    failed.out,
    /^Why: +VMCreate failed: the image is not there \(1 in a row, repeated (in \d+s|now)\)\nWhat to do: +Fix the reason/m,
  )
  assert.match(failed.out, /^Last operation: +VMCreate Failed \(op-\S+\): the image is not there$/m)

  await tenant('vm', 'create', 'lost', '--template', 'small')
  await agent.next('VMCreate')
  await ovim.client.delete(Template, { namespace: 'ovim-system', name: 'small' })
  const lost = { namespace: 'org-acme', name: 'lost' }
  await ovim.client.create(VirtualMachineRequest, {
    metadata: { namespace: 'org-acme', name: 'late' },
    spec: { vdc: 'dev', template: 'small' },
  })
  await ovim.when(VirtualMachineRequest, { ...lost, name: 'late' }, ({ status }) => status?.phase === 'error')
  const late = await tenant('vm', 'describe', 'late')
  assert.match(
    late.out,
    /^Why: +template "small" does not exist in org-acme or ovim-system\nWhat to do: +Choose another template from `orrery template list`/m,
  )
  assert.match(late.out, /^Template: +small \(does not exist any more\)$/m)

  await ovim.clock.advance(400_000)
  await ovim.when(Zone, { name: 'east' }, ({ status }) => status?.agent?.status === 'stale')
  await ovim.eventually('the watch has seen it', () =>
    seen.some((line) => /^MODIFIED lost zone east is disc/.test(line)),
  )
  stop.abort()
  await watching
  for (const line of [
    /^ADDED big is not handled yet$/m,
    /^MODIFIED big quota of virtual/m,
    /^MODIFIED big VMCreate failed/m,
  ]) {
    assert.match(seen.join('\n'), line)
  }
  const away = await tenant('vm', 'list', 'lost')
  assert.match(
    away.errors,
    /^acme\/lost: zone east is disconnected: the agent has not reported since .*`orrery zone describe east`/m,
  )
  assert.match((await tenant('zone', 'list')).errors, /^zone east is disconnected: the agent has not reported since/m)
  assert.match(
    (await tenant('zone', 'describe', 'east')).out,
    /^What to do: +Check the cluster with `orrery get clusters east`/m,
  )

  assert.equal((await commands.run('zone', 'cordon', 'east')).out, 'zone east cordoned\n')
  assert.equal((await commands.run('zone', 'uncordon', 'east')).out, 'zone east uncordoned\n')
  assert.match((await tenant('zone', 'cordon', 'east')).errors, /forbidden/)
  assert.match((await commands.run('zone', 'cordon', 'west')).errors, /zone west not found/)
  assert.equal(
    (await commands.run('org', 'grant', 'acme', '--admin', 'carol,group:ops')).out,
    'organization acme access granted\n',
  )
  assert.equal(
    (await commands.run('org', 'revoke', 'acme', '--admin', 'carol')).out,
    'organization acme access revoked\n',
  )
  const { admins } = (await ovim.client.get(Organization, { name: 'acme' })).spec
  assert.deepEqual(
    admins?.map(({ kind, name }) => [kind, name]),
    [
      ['ServiceAccount', admin.name],
      ['Group', 'ops'],
    ],
  )
  assert.equal((await commands.run('org', 'disable', 'acme')).out, 'organization acme disabled\n')
  await ovim.when(Organization, { name: 'acme' }, ({ status }) => status?.phase === 'Disabled')
  assert.match((await commands.run('org', 'list')).out, /^acme +Disabled +1 +3 /m)
  await assert.rejects((await ovim.kubectl(user)).get(VirtualMachineRequest, lost), isForbidden)
  assert.equal((await commands.run('org', 'enable', 'acme')).out, 'organization acme enabled\n')
})
