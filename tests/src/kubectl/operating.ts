import { exactly, header, json, rows, type Scenario } from './scenario.js'

const ROLLED_OUT = JSON.stringify({
  status: { observedGeneration: 4, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
})

const EVENT = `
apiVersion: v1
kind: Event
metadata: {name: solo.1}
involvedObject: {kind: Pod, name: solo, namespace: NS, apiVersion: v1}
reason: Failed
message: it went wrong
type: Warning
count: 1
source: {component: tester}
firstTimestamp: "2024-01-01T00:00:00Z"
lastTimestamp: "2024-01-01T00:00:00Z"
`

/** Workloads and nodes, as far as nothing has to run. */
export const operating: readonly Scenario[] = [
  {
    name: 'rollout',
    steps: [
      { run: 'create -f deployment.yaml' },
      {
        run: 'rollout status deployment/web --timeout=1s',
        err: /timed out waiting for the condition|Waiting for deployment/,
      },
      { run: 'rollout history deployment/web', out: 'deployment.apps/web' },
      { run: 'rollout restart deployment/web', out: 'deployment.apps/web restarted' },
      {
        run: "get deployment web -o jsonpath='{.spec.template.metadata.annotations}'",
        out: 'kubectl.kubernetes.io/restartedAt',
      },
      { run: 'rollout pause deployment/web', out: 'deployment.apps/web paused' },
      { run: "get deployment web -o jsonpath='{.spec.paused}'", out: exactly('true') },
      { run: 'rollout resume deployment/web', out: 'deployment.apps/web resumed' },
      { run: 'rollout undo deployment/web', err: /no rollout history found/ },
      { run: `patch deployment web --subresource=status --type=merge -p '${ROLLED_OUT}'`, since: 27 },
      { run: 'rollout status deployment/web --timeout=10s', since: 27, out: 'successfully rolled out' },
    ],
  },
  {
    name: 'expose autoscale run',
    steps: [
      { run: 'create -f deployment.yaml' },
      { run: 'expose deployment web --port=80 --target-port=8080', out: 'service/web exposed' },
      {
        run: 'get svc web -o json',
        out: json({ spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] } }),
      },
      {
        run: 'autoscale deployment web --min=2 --max=5 --cpu-percent=50',
        out: 'horizontalpodautoscaler.autoscaling/web autoscaled',
      },
      {
        run: 'get hpa',
        out: [
          header('NAME', 'REFERENCE', 'TARGETS', 'MINPODS', 'MAXPODS', 'REPLICAS', 'AGE'),
          rows(['web', 'Deployment/web', 'cpu: <unknown>/50%', '2', '5', '0']),
        ],
      },
      { run: 'run once --image=busybox --restart=Never -- echo hello', out: 'pod/once created' },
      {
        run: 'get pod once -o json',
        out: json({
          spec: { restartPolicy: 'Never', containers: [{ args: ['echo', 'hello'] }] },
          status: { phase: 'Pending', qosClass: 'BestEffort' },
        }),
      },
      {
        run: 'get pods',
        out: [header('NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'), rows(['once', '0/1', 'Pending', '0'])],
      },
      {
        run: 'get pods -o wide',
        out: header('NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE', 'IP', 'NODE', 'NOMINATED NODE', 'READINESS GATES'),
      },
      {
        run: 'get deployments',
        out: [header('NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE'), rows(['web', '0/2', '0', '0'])],
      },
      { run: 'logs once', out: exactly('') },
      { run: 'logs once -c other', err: /container other is not valid for pod once/ },
      { run: 'debug once --image=busybox --attach=false -c helper', since: 27, ok: true },
      {
        run: "get pod once -o jsonpath='{.spec.ephemeralContainers[*].imagePullPolicy}'",
        since: 27,
        out: exactly('Always'),
      },
      { run: 'exec once -- ls', err: 'pod once does not have a host assigned' },
      { run: 'cp once:/file copy', err: /pod once does not have a host assigned/ },
    ],
  },
  {
    name: 'describe',
    steps: [
      { run: 'create -f deployment.yaml' },
      { run: 'create -f pod.yaml' },
      { run: 'create -f maps.yaml' },
      { run: 'create secret generic hidden --from-literal=key=value' },
      {
        run: 'describe pod solo',
        out: [/^Name: +solo$/m, /^Status: +Pending$/m, /Image: +busybox/, /QoS Class: +BestEffort/],
      },
      {
        run: 'describe deployment web',
        out: [
          /^Replicas: +2 desired \| 0 updated \| 0 total \| 0 available \| 0 unavailable$/m,
          /StrategyType: +RollingUpdate/,
        ],
      },
      { run: 'describe namespace NS', out: [/^Status: +Active$/m, 'No resource quota.'] },
      { run: 'describe cm first', out: [/^Data\n====\nkey:/m, 'one'] },
      { run: 'describe secret hidden', out: /key: +5 bytes/ },
      { run: 'describe sa default', out: /^Name: +default$/m },
      { run: 'describe clusterrole view', out: /configmaps +\[\] +\[\] +\[get list watch\]/ },
    ],
  },
  {
    name: 'events',
    steps: [
      { run: 'create -f -', input: EVENT, out: 'event/solo.1 created' },
      {
        run: 'get events',
        out: [header('LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'), /Warning +Failed +pod\/solo +it went wrong/],
      },
      {
        run: 'get events --field-selector involvedObject.name=solo,type=Warning -o name',
        out: exactly('event/solo.1'),
      },
      {
        run: 'get events.events.k8s.io solo.1 -o json',
        out: json({ note: 'it went wrong', regarding: { name: 'solo' } }),
      },
      { run: 'events --for=pod/solo', since: 27, out: /it went wrong/ },
      { run: 'events', since: 27, out: /Warning +Failed +Pod\/solo +it went wrong/ },
    ],
  },
  {
    name: 'nodes',
    alone: true,
    steps: [
      { run: 'create -f node.yaml', out: 'node/worker created' },
      { run: 'get nodes', out: rows(['worker', 'Ready', 'worker']) },
      { run: 'get nodes -o wide', out: ['192.0.2.9', 'containerd://1'] },
      { run: 'taint node worker job=batch:NoSchedule', out: 'node/worker tainted' },
      { run: 'get node worker -o jsonpath=\'{.spec.taints[?(@.key=="job")].value}\'', out: exactly('batch') },
      { run: 'taint node worker job-', out: 'node/worker untainted' },
      { run: 'cordon worker', out: 'node/worker cordoned' },
      { run: 'get nodes', out: 'Ready,SchedulingDisabled' },
      { run: 'uncordon worker', out: 'node/worker uncordoned' },
      { run: 'drain worker', out: [/node\/worker (drained|evicted)/] },
      { run: 'describe node worker', out: [/^Name: +worker$/m, /Unschedulable: +true/, 'KubeletReady', /cpu: +4/] },
      { run: 'delete node worker', out: 'node "worker" deleted' },
    ],
  },
]
