import { exactly, header, json, rows, type Scenario } from './scenario.js'

/** `get` with its selectors and output formats. */
export const reading: readonly Scenario[] = [
  {
    name: 'get shows tables',
    steps: [
      {
        run: 'get configmaps -l app',
        err: 'No resources found in NS namespace.'.replace('NS', 'get-shows-tables'),
        ok: true,
      },
      { run: 'create -f maps.yaml', out: ['configmap/first created', 'configmap/second created'] },
      { run: 'get configmaps -l app', out: [header('NAME', 'DATA', 'AGE'), rows(['first', '1'], ['second', '1'])] },
      { run: 'get cm first', out: rows(['first', '1']) },
      { run: 'get cm -l app --show-labels', out: [header('NAME', 'DATA', 'AGE', 'LABELS'), /first +1 +\S+ +app=a/] },
      { run: 'get cm -l app -L app', out: header('NAME', 'DATA', 'AGE', 'APP') },
      { run: 'get cm -l app --no-headers', out: /^first / },
      { run: 'get cm,secret,sa -l app', out: [/configmap\/first/, /configmap\/second/] },
      { run: 'get cm -l app --sort-by=.data.key', out: rows(['first', '1'], ['second', '1']) },
      { run: 'get cm -l app --sort-by={.metadata.labels.app}', out: rows(['first', '1'], ['second', '1']) },
      { run: 'get cm -l app --chunk-size=1', out: rows(['first', '1'], ['second', '1']) },
      { run: 'get cm -A -l app --chunk-size=1', out: [header('NAMESPACE', 'NAME', 'DATA', 'AGE'), 'get-shows-tables'] },
      { run: 'get namespaces NS', out: rows(['get-shows-tables', 'Active']) },
      { run: 'get all -A', out: 'service/kubernetes' },
    ],
  },
  {
    name: 'get prints other forms',
    steps: [
      { run: 'create -f maps.yaml' },
      { run: 'get cm -l app -o name', out: exactly('configmap/first\nconfigmap/second') },
      {
        run: 'get cm first -o yaml',
        out: [/^apiVersion: v1\ndata:\n {2}key: one\nkind: ConfigMap\n/, /namespace: get-prints-other-forms/],
      },
      {
        run: 'get cm first -o json',
        out: json({ kind: 'ConfigMap', data: { key: 'one' }, metadata: { labels: { app: 'a' } } }),
      },
      {
        run: 'get cm -l app -o json',
        out: json({ kind: 'List', items: [{ data: { key: 'one' } }, { data: { key: 'two' } }] }),
      },
      { run: "get cm -l app -o jsonpath='{.items[*].data.key}'", out: exactly('one two') },
      {
        run: "get cm -l app -o jsonpath='{range .items[*]}{.metadata.name}={.data.key};{end}'",
        out: exactly('first=one;second=two;'),
      },
      { run: "get cm first -o go-template='{{.data.key}}'", out: exactly('one') },
      {
        run: 'get cm -l app -o custom-columns=WHO:.metadata.name,WHAT:.data.key',
        out: [header('WHO', 'WHAT'), rows(['first', 'one'], ['second', 'two'])],
      },
      { run: 'get cm first -o yaml --show-managed-fields', since: 27, out: ['manager: kubectl-create', 'f:key: {}'] },
      { run: 'get cm first -o yaml', since: 27, out: (text) => void assertAbsent(text, 'managedFields') },
    ],
  },
  {
    name: 'get selects',
    steps: [
      { run: 'create -f maps.yaml' },
      { run: 'get cm -l app=a -o name', out: exactly('configmap/first') },
      { run: "get cm -l 'app in (a,b),app!=a' -o name", out: exactly('configmap/second') },
      { run: "get cm -l 'app notin (a)' -o name", out: [/configmap\/second/, /configmap\/kube-root-ca.crt/] },
      { run: "get cm -l '!app' -o name", out: exactly('configmap/kube-root-ca.crt') },
      { run: 'get cm --field-selector metadata.name=second -o name', out: exactly('configmap/second') },
      {
        run: 'get cm -A --field-selector metadata.namespace=NS,metadata.name!=second -l app -o name',
        out: exactly('configmap/first'),
      },
      {
        run: 'get cm --field-selector spec.x=y',
        err: '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
      },
      { run: 'get pods --field-selector status.phase=Running,spec.nodeName!=x', ok: true, err: 'No resources found' },
      { run: "get cm -l 'app in ('", err: "unable to parse requirement: found '', expected: ',', ')' or identifier" },
      { run: 'get cm absent', err: 'Error from server (NotFound): configmaps "absent" not found' },
      { run: 'get cm absent --ignore-not-found', out: exactly('') },
      { run: 'get gizmos', err: `the server doesn't have a resource type "gizmos"` },
    ],
  },
  {
    name: 'get watches',
    steps: [
      { run: 'create -f maps.yaml' },
      { run: 'get cm -l app -w', out: rows(['first', '1'], ['second', '1']), until: (text) => /second.*\n/.test(text) },
      {
        run: 'get cm -l app -w -o name',
        out: exactly('configmap/first\nconfigmap/second'),
        until: (text) => text.includes('second\n'),
      },
      { run: 'get cm -l app --watch-only --request-timeout=2s', out: exactly('') },
      { run: 'get cm first -w --output-watch-events', out: /ADDED +first/, until: (text) => /first.*\n/.test(text) },
      { run: 'get cm -A -l app -w', out: 'get-watches', until: (text) => /get-watches +second/.test(text) },
    ],
  },
]

function assertAbsent(text: string, part: string): void {
  if (text.includes(part)) throw new Error(`${part} is in\n${text}`)
}
