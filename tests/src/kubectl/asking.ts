import assert from 'node:assert/strict'
import { exactly, json, rows, type Scenario } from './scenario.js'

/** The server's own information, and access reviews. */
export const asking: readonly Scenario[] = [
  {
    name: 'discovery',
    steps: [
      {
        run: 'version -o json',
        out: (text) => assert.match(JSON.parse(text).serverVersion.gitVersion, /^v1\.\d+\.\d+/),
      },
      { run: 'cluster-info', out: /is running at .*https:\/\/127\.0\.0\.1/ },
      { run: 'api-versions', out: [/^apps\/v1$/m, /^v1$/m, /^apiextensions\.k8s\.io\/v1$/m, /^autoscaling\/v2$/m] },
      {
        run: 'api-resources',
        out: [/^pods +po +v1 +true +Pod$/m, /^deployments +deploy +apps\/v1 +true +Deployment$/m],
      },
      { run: 'api-resources --namespaced=false --api-group= -o name', out: /^namespaces$/m },
      {
        run: 'api-resources --api-group=apps --verbs=list -o wide',
        out: /^statefulsets +sts +apps\/v1 +true +StatefulSet +.*deletecollection/m,
      },
      { run: 'api-resources --categories=all -o name', since: 27, out: /^jobs\.batch$/m },
      { run: 'explain pods', out: [/^KIND: +Pod$/m, /^VERSION: +v1$/m, /^ +spec\t?.*<(Pod)?(Spec|Object)>/m] },
      { run: 'explain pod.spec.containers.livenessProbe', out: ['failureThreshold', 'periodSeconds'] },
      { run: 'explain deployment.spec.strategy --recursive', out: ['rollingUpdate', 'maxSurge', 'maxUnavailable'] },
      { run: 'explain hpa --api-version=autoscaling/v2', out: /^VERSION: +(autoscaling\/)?v2$/m },
      { run: 'explain pod.nothing', err: 'field "nothing" does not exist' },
      { run: 'explain gizmos', err: /gizmos/ },
    ],
  },
  {
    name: 'raw and proxy',
    steps: [
      { run: 'get --raw /version', out: json({ major: '1' }) },
      { run: 'get --raw /healthz', out: exactly('ok') },
      { run: 'get --raw /readyz?verbose', out: 'readyz check passed' },
      { run: 'get --raw /api/v1/namespaces/NS', out: json({ kind: 'Namespace', metadata: { name: 'raw-and-proxy' } }) },
      { run: 'get --raw /apis/apps/v1', out: json({ kind: 'APIResourceList', groupVersion: 'apps/v1' }) },
      { run: 'get --raw /nothing', err: /NotFound|could not find/ },
      {
        run: 'create --raw /api/v1/namespaces/NS/configmaps -f -',
        input: '{"metadata":{"name":"raw"}}',
        out: json({ kind: 'ConfigMap' }),
      },
      { run: 'delete --raw /api/v1/namespaces/NS/configmaps/raw', out: json({ kind: 'Status', status: 'Success' }) },
    ],
  },
  {
    name: 'access',
    steps: [
      { run: 'auth can-i create pods', out: exactly('yes') },
      { run: "auth can-i '*' '*' --all-namespaces", out: exactly('yes') },
      { run: 'auth can-i list configmaps --as=bob', ok: false, out: /^no/ },
      {
        run: 'auth reconcile -f roles.yaml',
        out: [
          'role.rbac.authorization.k8s.io/reader reconciled',
          'rolebinding.rbac.authorization.k8s.io/readers reconciled',
        ],
      },
      { run: 'auth reconcile -f roles.yaml', out: 'reconciled' },
      { run: 'auth can-i list configmaps --as=bob', out: exactly('yes') },
      {
        run: 'auth can-i --list --as=bob',
        out: [/^configmaps +\[\] +\[\] +\[get list\]$/m, /selfsubjectaccessreviews\.authorization\.k8s\.io/],
      },
      { run: 'auth whoami', since: 31, out: [/^Username +kubernetes-admin$/m, /system:masters/] },
      {
        run: 'auth whoami --as=bob --as-group=crew -o json',
        since: 31,
        out: json({ status: { userInfo: { username: 'bob', groups: ['crew', 'system:authenticated'] } } }),
      },
      { run: 'get cm --as=bob -o name', out: exactly('configmap/kube-root-ca.crt') },
      {
        run: 'get secrets --as=bob',
        err: 'Error from server (Forbidden): secrets is forbidden: User "bob" cannot list resource "secrets" in API group "" in the namespace "access"',
      },
      { run: 'get cm -n default --as=bob', err: 'in the namespace "default"' },
      {
        run: 'create cm mine --from-literal=a=b --as=bob',
        err: /configmaps is forbidden: User "bob" cannot create resource "configmaps"/,
      },
      { run: 'get nodes --as=bob', err: 'at the cluster scope' },
      { run: 'create role wider --verb=* --resource=secrets --as=bob', err: 'cannot create resource "roles"' },
    ],
  },
  {
    name: 'certificates',
    alone: true,
    steps: [
      { run: 'create -f csr-granted.yaml', out: 'certificatesigningrequest.certificates.k8s.io/granted created' },
      { run: 'create -f csr-refused.yaml' },
      { run: "get csr -o jsonpath='{.items[*].spec.username}'", out: exactly('kubernetes-admin kubernetes-admin') },
      { run: 'certificate approve granted', out: 'certificatesigningrequest.certificates.k8s.io/granted approved' },
      { run: 'certificate deny refused', out: 'certificatesigningrequest.certificates.k8s.io/refused denied' },
      {
        run: "get csr granted -o jsonpath='{.status.certificate}' -w",
        until: (text) => text.includes('LS0t'),
        out: /LS0t/,
      },
      { run: 'get csr refused --no-headers', out: 'Denied' },
      { run: 'get csr granted --no-headers', out: 'Approved,Issued' },
      { run: 'describe csr granted', out: [/Requesting User: +kubernetes-admin/, /Common Name: +jane/] },
    ],
  },
  {
    name: 'config',
    steps: [
      { run: 'config view --minify', out: 'current-context' },
      { run: 'config current-context', out: /\S/ },
      { run: 'config get-contexts', out: /\*/ },
      { run: 'config view --raw -o json', out: (text) => assert.ok(JSON.parse(text).clusters.length > 0) },
      { run: 'get cm --server=https://127.0.0.1:1 --request-timeout=2s', err: /refused|Unable to connect/ },
      {
        run: 'get priorityclass --no-headers -o custom-columns=N:.metadata.name',
        out: [/system-cluster-critical/, /system-node-critical/],
      },
      { run: 'get ns default', out: rows(['default', 'Active']) },
    ],
  },
]
