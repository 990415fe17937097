import { exactly, json, type Scenario } from './scenario.js'

const ONLY_FIRST = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: first, labels: {app: a}}\n'

/** ApplySets are behind an environment variable. */
const WITH_SETS = { KUBECTL_APPLYSET: 'true' }
const APPLY_SET = 'apply --prune --applyset=secrets/set'

/** `apply` on the client and on the server, `diff`, and directories of manifests. */
export const applying: readonly Scenario[] = [
  {
    name: 'apply on the client',
    steps: [
      { run: 'apply -f deployment.yaml', out: 'deployment.apps/web created' },
      { run: 'apply -f deployment.yaml', out: 'deployment.apps/web unchanged' },
      { run: 'get deployment web -o json', out: json({ metadata: { generation: 1 } }) },
      { run: 'apply -f deployment-2.yaml --dry-run=client', out: 'deployment.apps/web configured (dry run)' },
      { run: 'apply -f deployment-2.yaml --dry-run=server', out: 'deployment.apps/web configured (server dry run)' },
      { run: 'diff -f deployment.yaml', out: exactly('') },
      {
        run: 'diff -f deployment-2.yaml',
        ok: false,
        out: ['-        image: nginx:1', '+        image: nginx:2', '-  replicas: 2', '+  replicas: 4'].map(loose),
      },
      { run: 'apply -f deployment-2.yaml', out: 'deployment.apps/web configured' },
      {
        run: 'get deployment web -o json',
        out: json({
          metadata: { generation: 2 },
          spec: { replicas: 4, template: { spec: { containers: [{ image: 'nginx:2' }] } } },
        }),
      },
      { run: 'apply view-last-applied deployment web', out: 'image: nginx:2' },
      {
        run: 'apply -f maps.yaml --prune -l app --prune-whitelist=core/v1/ConfigMap',
        upTo: 20,
        out: 'configmap/first created',
      },
      {
        run: 'apply -f maps.yaml --prune -l app --prune-allowlist=core/v1/ConfigMap',
        since: 27,
        out: 'configmap/first created',
      },
      {
        run: 'apply -f - --prune -l app --prune-whitelist=core/v1/ConfigMap',
        upTo: 20,
        input: ONLY_FIRST,
        out: ['configmap/first', 'configmap/second pruned'],
      },
      {
        run: 'apply -f - --prune -l app --prune-allowlist=core/v1/ConfigMap',
        since: 27,
        input: ONLY_FIRST,
        out: ['configmap/first', 'configmap/second pruned'],
      },
      { run: 'get cm -l app -o name', out: exactly('configmap/first') },
      { run: 'apply -k kustomize', out: ['configmap/k-first created', /configmap\/k-made-\w+ created/] },
    ],
  },
  {
    name: 'apply on the server',
    steps: [
      { run: 'apply --server-side --field-manager=one -f map-a.yaml', out: 'configmap/shared serverside-applied' },
      {
        run: 'apply --server-side --field-manager=two -f map-b.yaml',
        err: ['Apply failed with 1 conflict: conflict with "one"', '.data.a', '--force-conflicts'],
      },
      {
        run: 'apply --server-side --field-manager=two --dry-run=server --force-conflicts -f map-b.yaml -o json',
        out: json({ data: { a: '3' } }),
      },
      { run: 'get cm shared -o json', out: json({ data: { a: '1', b: '2' } }) },
      { run: 'apply --server-side --field-manager=two --force-conflicts -f map-b.yaml', out: 'serverside-applied' },
      { run: 'get cm shared -o json', out: json({ data: { a: '3', b: '2' } }) },
      {
        run: 'apply --server-side --field-manager=one -f -',
        input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\n',
        out: 'serverside-applied',
      },
      { run: "get cm shared -o jsonpath='{.data}'", out: exactly('{"a":"3"}') },
      { run: "get cm shared -o jsonpath='{.metadata.managedFields[*].manager}'", out: /two/ },
      { run: 'apply -f deployment.yaml', out: 'deployment.apps/web created' },
      { run: 'apply --server-side -f deployment-2.yaml', since: 27, out: 'deployment.apps/web serverside-applied' },
      { run: 'get deployment web -o json', since: 27, out: json({ spec: { replicas: 4 } }) },
      { run: 'diff --server-side -f deployment-2.yaml', since: 27, out: exactly('') },
      {
        run: 'apply --server-side -f -',
        input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\nbogus: 1\n',
        err: /unknown field|field not declared|is not valid|invalid/i,
      },
    ],
  },
  {
    name: 'apply sets',
    since: 27,
    steps: [
      { run: `${APPLY_SET} -f maps.yaml`, environment: WITH_SETS, out: ['configmap/first', 'configmap/second'] },
      { run: 'get secret set -o name', out: exactly('secret/set') },
      {
        run: `${APPLY_SET} -f -`,
        environment: WITH_SETS,
        input: ONLY_FIRST,
        out: ['configmap/first', 'configmap/second pruned'],
      },
      { run: 'get cm -l applyset.kubernetes.io/part-of -o name', out: exactly('configmap/first') },
    ],
  },
]

/** The indentation of diffs differs between versions. */
function loose(line: string): RegExp {
  const text = line
    .slice(1)
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^\\${line[0]}\\s+(?:- )?${text}$`, 'm')
}
