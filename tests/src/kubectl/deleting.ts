import { exactly, type Scenario } from './scenario.js'

const OWNER = '{"apiVersion":"v1","kind":"ConfigMap","name":"parent","uid":"<uid>","blockOwnerDeletion":true}'
/** Old clients fail if the object is gone already. */
const WAIT_FOR_CHILD = { run: 'wait --for=delete cm/child --timeout=20s', ok: 'either' } as const
const CASCADES = ['background', 'foreground', 'orphan'] as const

/** A Namespace with its content, in the usual order. */
const TEAM = `
apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: one, namespace: team}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two, namespace: team}
`

/** A parent that is deleted and a child with an owner reference to it. */
function cascadeScenario(cascade: (typeof CASCADES)[number]): Scenario {
  const child = cascade === 'orphan' ? 'child' : ''
  return {
    name: `delete ${cascade}`,
    steps: [
      { run: 'create cm parent --from-literal=a=b' },
      { run: 'create cm child --from-literal=a=b' },
      { run: "get cm parent -o jsonpath='{.metadata.uid}'", saves: 'uid' },
      { run: `patch cm child --type=merge -p '{"metadata":{"ownerReferences":[${OWNER}]}}'`, out: 'child patched' },
      { run: `delete cm parent --cascade=${cascade}`, out: 'configmap "parent" deleted' },
      ...(child === '' ? [WAIT_FOR_CHILD] : []),
      { run: 'get cm -o jsonpath=\'{.items[?(@.metadata.name=="child")].metadata.name}\'', out: exactly(child) },
      { run: "get cm child --ignore-not-found -o jsonpath='{.metadata.ownerReferences}'", out: exactly('') },
    ],
  }
}

/** `delete` in all its forms, and `wait`. */
export const deleting: readonly Scenario[] = [
  {
    name: 'delete',
    steps: [
      { run: 'create -f maps.yaml' },
      { run: 'delete cm first --dry-run=server', out: /configmap "first" deleted.*\(server dry run\)/ },
      { run: 'delete cm first', out: 'configmap "first" deleted' },
      { run: 'delete cm first', err: 'Error from server (NotFound): configmaps "first" not found' },
      { run: 'delete cm first --ignore-not-found', out: exactly('') },
      { run: 'delete cm -l app=b', out: 'configmap "second" deleted' },
      { run: 'delete cm -l app=b', out: /No resources found|^$/ },
      { run: 'create -f maps.yaml' },
      { run: 'delete -f maps.yaml --wait=true', out: ['configmap "first" deleted', 'configmap "second" deleted'] },
      { run: 'create -f deployment.yaml' },
      { run: 'delete deployment --all --cascade=foreground', since: 27, out: 'deployment.apps "web" deleted' },
      { run: 'delete deployment --all', upTo: 20, out: 'deployment.apps "web" deleted' },
      { run: 'create -f pod.yaml' },
      { run: 'delete pod solo --now', out: 'pod "solo" deleted' },
      { run: 'create -f pod.yaml' },
      {
        run: 'delete pod solo --grace-period=0 --force',
        ok: true,
        err: 'mmediate deletion does not wait',
        out: /pod "solo" (force )?deleted/,
      },
      { run: 'create secret generic s --from-literal=a=b' },
      { run: 'delete secret,cm -l app --all=false', ok: true },
      { run: 'delete secret --all', out: 'secret "s" deleted' },
      {
        run: 'delete priorityclass system-node-critical',
        err: 'this is a system priority class and cannot be deleted',
      },
      { run: 'create namespace NS-gone' },
      { run: 'create cm inside --from-literal=a=b -n NS-gone' },
      { run: 'delete namespace NS-gone --wait', out: 'namespace "delete-gone" deleted' },
      { run: 'get cm -n NS-gone', ok: true, err: 'No resources found' },
    ],
  },
  {
    name: 'delete a file that starts with its namespace',
    steps: [
      { run: 'create -f - --namespace team', input: TEAM },
      {
        run: 'delete -f - --namespace team',
        input: TEAM,
        out: ['namespace "team" deleted', 'configmap "one" deleted', 'configmap "two" deleted'],
      },
      { run: 'get namespace team --ignore-not-found', out: exactly('') },
    ],
  },
  ...CASCADES.map(cascadeScenario),
  {
    name: 'wait',
    steps: [
      { run: 'create -f pod.yaml' },
      { run: 'wait --for=create pod/solo --timeout=10s', since: 31, out: 'pod/solo condition met' },
      {
        run: 'wait --for=condition=Ready pod/solo --timeout=1s',
        err: 'timed out waiting for the condition on pods/solo',
      },
      {
        run: 'patch pod solo --subresource=status --type=merge -p {"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}',
        since: 27,
      },
      { run: 'wait --for=condition=Ready pod/solo --timeout=10s', since: 27, out: 'pod/solo condition met' },
      {
        run: "wait --for=jsonpath='{.status.phase}'=Running pod/solo --timeout=10s",
        since: 27,
        out: 'pod/solo condition met',
      },
      { run: 'delete pod solo --wait=false', out: 'deleted' },
      { run: 'wait --for=delete pod/solo --timeout=10s', ok: 'either', err: /^$|no matching resources found/ },
      { run: 'wait --for=condition=Ready pod/absent --timeout=1s', err: 'pods "absent" not found' },
    ],
  },
]
