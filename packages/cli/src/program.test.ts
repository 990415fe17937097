import assert from 'node:assert/strict'
import test from 'node:test'
import { EXIT_FAILED, EXIT_USAGE, reportFailure } from './failure.js'
import { run } from './run-program.fixture.js'

const WRONG: readonly { args: readonly string[]; says: RegExp; see: string }[] = [
  { args: ['fly'], says: /unknown command 'fly'/, see: 'orrery' },
  { args: ['apiserver'], says: /required option '--data <dir>' not specified/, see: 'orrery apiserver' },
  { args: ['apiserver', '--data', ''], says: /'--data <dir>' not specified/, see: 'orrery apiserver' },
  { args: ['down', '--data', ''], says: /The directory name is empty/, see: 'orrery down' },
  { args: ['delete', 'cluster', 'c', '--data', ''], says: /directory name is empty/, see: 'orrery delete cluster' },
  {
    args: ['hub', '--data', '/nowhere', '--feature-gates', 'Foo=true'],
    says: /--feature-gates: unknown feature gate "Foo": use one of/,
    see: 'orrery hub',
  },
  {
    args: ['agent', '--data', '/nowhere', '--cluster-name', 'c', '--feature-gates', 'DefaultClusterSet=true'],
    says: /--feature-gates: unknown feature gate "DefaultClusterSet": use one of/,
    see: 'orrery agent',
  },
  {
    args: ['clean', '--name', 'x'],
    says: /unknown command 'clean' of clusteradm: .*`orrery down`/,
    see: 'orrery clean',
  },
  {
    args: ['agent', '--data', '/nowhere', '--cluster-name', 'c', '--feature-gates', 'MultipleHubs=true'],
    says: /MultipleHubs requires `orrery agent` on an existing cluster, with --bootstrap-kubeconfig for each hub/,
    see: 'orrery agent',
  },
  {
    args: ['agent', '--context', 'c', '--bootstrap-kubeconfig', 'a', '--bootstrap-kubeconfig', 'b'],
    says: /several hubs requires --feature-gates MultipleHubs=true/,
    see: 'orrery agent',
  },
  {
    args: ['agent', '--data', '/nowhere', '--cluster-name', 'c', '--transport', 'grpc'],
    says: /option '--transport grpc' requires --transport-config <file>/,
    see: 'orrery agent',
  },
  {
    args: ['agent', '--data', '/nowhere', '--cluster-name', 'c', '--transport-config', 'f'],
    says: /option '--transport-config' requires --transport grpc or mqtt/,
    see: 'orrery agent',
  },
  {
    args: ['maestro', 'server', '--message-broker-type', 'mqtt'],
    says: /option '--message-broker-type mqtt' requires --message-broker-config-file <file>/,
    see: 'orrery maestro server',
  },
  {
    args: ['agent', '--addon-kubeclient-registration-auth', 'password'],
    says: /--addon-kubeclient-registration-auth <driver>' argument 'password' is invalid\. Allowed choices are csr, token/,
    see: 'orrery agent',
  },
  {
    args: ['agent', '--addon-token-expiration-seconds', '599'],
    says: /'599' is invalid\. Use a number of seconds from 600 to 4294967296/,
    see: 'orrery agent',
  },
  {
    args: ['init', '--feature-gates', 'A=true'],
    says: /option '--feature-gates' of clusteradm: pass it to `orrery hub`/,
    see: 'orrery init',
  },
  { args: ['join', '--force-internal-endpoint-lookup'], says: /omit it, and set --hub-apiserver/, see: 'orrery join' },
  { args: ['unjoin', '--purge-operator=false'], says: /there is no operator/, see: 'orrery unjoin' },
  {
    args: ['delete', 'work', 'w', '--force'],
    says: /`orrery get works` to see what blocks/,
    see: 'orrery delete work',
  },
  { args: ['get', 'placements', '-A', '-n', 'x'], says: /cannot be used with option/, see: 'orrery get placements' },
  { args: ['explain', 'placement'], says: /missing required argument 'placement'/, see: 'orrery explain placement' },
  {
    args: ['explain', 'placement', '--what-if'],
    says: /'--what-if' requires '-f, --filename <file>'/,
    see: 'orrery explain placement',
  },
  {
    args: ['explain', 'placement', 'web', '-f', 'x'],
    says: /'-f, --filename <file>' requires '--what-if'/,
    see: 'orrery explain placement',
  },
  { args: ['describe', 'placement'], says: /missing required argument/, see: 'orrery describe placement' },
  {
    args: ['create', 'placement', 'web', '--prioritizers', 'Steady'],
    says: /Use BuiltIn:NAME\[:WEIGHT\] or AddOn:RESOURCE:SCORE/,
    see: 'orrery create placement',
  },
  { args: ['upgrade', 'klusterlet'], says: /stop the hub or the agent, install the new/, see: 'orrery upgrade' },
  {
    args: ['accept', '--clusters', 'c', '--timeout', '5'],
    says: /'--timeout <seconds>' requires '--wait'/,
    see: 'orrery accept',
  },
  {
    args: ['accept', '--clusters', 'c', '--wait', '5', '--timeout', '6'],
    says: /'--timeout <seconds>' cannot be used with a number after '--wait'/,
    see: 'orrery accept',
  },
  {
    args: ['get', 'token', '--use-bootstrap-token', '--token-type', 'service-account'],
    says: /'--use-bootstrap-token' cannot be used with option '--token-type <type>'/,
    see: 'orrery get token',
  },
  { args: ['get', 'klusterlet-info', '--data', 'x'], says: /no cluster selected/, see: 'orrery get agent-info' },
  { args: ['vm', 'create', 'web'], says: /required option '--template <name>' not specified/, see: 'orrery vm create' },
  { args: ['vm', 'list', '-A', '--org', 'a'], says: /'-A, --all-orgs' cannot be used with/, see: 'orrery vm list' },
  {
    args: ['vm', 'create', 'web', '--template', 't', '--cpu', '0.5'],
    says: /'0\.5' is invalid\. Use a whole number from 1 to 1024/,
    see: 'orrery vm create',
  },
  {
    args: ['vm', 'create', 'web', '--template', 't', '--vdc', 'a', '--placement', 'b/c'],
    says: /'--vdc <name>' cannot be used with option '--placement <namespace\/name>'/,
    see: 'orrery vm create',
  },
  {
    args: ['vm', 'create', 'web', '--template', 't', '--labels', 'a'],
    says: /'a' is invalid\. Use a=b,c=d/,
    see: 'orrery vm create',
  },
  { args: ['vdc', 'create', 'dev'], says: /set either '--zone <name>' or '--placement/, see: 'orrery vdc create' },
  { args: ['vdc', 'update', 'dev'], says: /set a limit: --cpu, --memory/, see: 'orrery vdc update' },
  {
    args: ['template', 'create', 't', '--http', 'a', '--registry', 'b'],
    says: /set exactly one of '--container-disk', '--http', '--registry' and '--pvc'/,
    see: 'orrery template create',
  },
  { args: ['org', 'grant', 'acme'], says: /set '--admin <member>' or '--user <member>'/, see: 'orrery org grant' },
  {
    args: ['org', 'create', 'acme', '--user', 'sa:bob'],
    says: /Use serviceaccount:NAMESPACE\/NAME/,
    see: 'orrery org create',
  },
  { args: ['apiserver', '--dat', 'x'], says: /unknown option '--dat'.*Did you mean --data/s, see: 'orrery apiserver' },
  { args: ['apiserver', 'fly', '--data', 'x'], says: /unknown command 'fly'/, see: 'orrery apiserver' },
  {
    args: ['apiserver', '--data', 'x', '--port', 'many'],
    says: /'many' is invalid.*0 to 65535/,
    see: 'orrery apiserver',
  },
  { args: ['apiserver', '--data', 'x', '--port', '65536'], says: /0 to 65535/, see: 'orrery apiserver' },
  { args: ['apiserver', '--data', 'x', '--port', ''], says: /0 to 65535/, see: 'orrery apiserver' },
  {
    args: ['apiserver', '--data', 'x', '--san', 'a b'],
    says: /Use a host name or an IP address/,
    see: 'orrery apiserver',
  },
  {
    args: ['apiserver', '--data', 'x', '--log-level', 'loud'],
    says: /debug, info, warn, error/,
    see: 'orrery apiserver',
  },
  { args: ['apiserver', '--data', 'x', '--audit-policy', 'p'], says: /requires '--audit-log/, see: 'orrery apiserver' },
  { args: ['apiserver', 'backup', 'file'], says: /'--data <dir>' not specified/, see: 'orrery apiserver backup' },
  {
    args: ['apiserver', 'backup', '--data', 'x'],
    says: /missing required argument 'file'/,
    see: 'orrery apiserver backup',
  },
  { args: ['apiserver', 'restore', 'file'], says: /'--data <dir>' not specified/, see: 'orrery apiserver restore' },
  { args: ['apiserver', 'compact'], says: /'--data <dir>' not specified/, see: 'orrery apiserver compact' },
  { args: ['apiserver', 'compact', '--data', 'x', 'y'], says: /too many arguments/, see: 'orrery apiserver compact' },
]

for (const { args, says, see } of WRONG) {
  test(`usage error with a hint to --help: orrery ${args.join(' ')}`, async () => {
    const { code, out, errors } = await run(...args)
    assert.deepEqual([code, out], [EXIT_USAGE, ''])
    assert.match(errors, says)
    assert.ok(errors.endsWith(`Run "${see} --help" for usage.\n`), errors)
  })
}

test('orrery without a command: prints the commands as a usage error', async () => {
  const { code, errors } = await run()
  assert.equal(code, EXIT_USAGE)
  assert.match(errors, /Commands:\n {2}up/)
})

for (const args of [['--help'], ['apiserver', '--help'], ['apiserver', 'help', 'restore'], ['--version']]) {
  test(`help and version exit with 0: orrery ${args.join(' ')}`, async () => {
    const { code, out, errors } = await run(...args)
    assert.deepEqual([code, errors], [0, ''])
    assert.match(out, /^(Usage: orrery|\d+\.\d+\.\d+)/)
  })
}

test('reportFailure: prints system errors as text', (t) => {
  const written = t.mock.method(process.stderr, 'write', () => true)
  const denied = Object.assign(new Error('EACCES: …'), { code: 'EACCES', path: '/x/file.partial-17' })
  assert.equal(reportFailure(denied), EXIT_FAILED)
  assert.equal(reportFailure('out of luck'), EXIT_FAILED)
  assert.equal(reportFailure(new Error('a server said \u001b[2J\ndo this')), EXIT_FAILED)
  assert.deepEqual(
    written.mock.calls.map((call) => call.arguments[0]),
    ['error: /x/file: permission denied\n', 'error: out of luck\n', 'error: a server said �[2J\ndo this\n'],
  )
})
