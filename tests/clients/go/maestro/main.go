// A source of works on Maestro's own SDK, for the interop tests. It reads requests from its input, one JSON object a
// line, and writes an answer for each to its output. Events of watches are written when they arrive.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/openshift-online/maestro/pkg/api/openapi"
	"github.com/openshift-online/maestro/pkg/client/cloudevents/grpcsource"
	"github.com/openshift-online/ocm-sdk-go/logging"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	workclient "open-cluster-management.io/api/client/work/clientset/versioned/typed/work/v1"
	workv1 "open-cluster-management.io/api/work/v1"
	"open-cluster-management.io/sdk-go/pkg/cloudevents/generic/options/grpc"
)

type request struct {
	ID        int                  `json:"id"`
	Verb      string               `json:"verb"`
	Name      string               `json:"name"`
	Work      *workv1.ManifestWork `json:"work"`
	Patch     json.RawMessage      `json:"patch"`
	PatchType types.PatchType      `json:"patchType"`
	Selector  string               `json:"selector"`
	Limit     int64                `json:"limit"`
	Continue  string               `json:"continue"`
}

type failure struct {
	Message string              `json:"message"`
	Reason  metav1.StatusReason `json:"reason,omitempty"`
	Code    int32               `json:"code,omitempty"`
}

type answer struct {
	ID     int      `json:"id"`
	Result any      `json:"result,omitempty"`
	Error  *failure `json:"error,omitempty"`
	// Of a watch: the type of the event, whose object is the result.
	Event string `json:"event,omitempty"`
}

type program struct {
	works  workclient.ManifestWorkInterface
	output *json.Encoder
	writes sync.Mutex
}

func main() {
	rest := flag.String("rest", "", "URL of the REST port")
	address := flag.String("grpc", "", "address of the gRPC port for sources")
	source := flag.String("source", "", "name of this source")
	consumer := flag.String("consumer", "", "consumer of all works: a client must not be used for several at once")
	flag.Parse()
	ctx := context.Background()
	works, err := connect(ctx, *rest, *address, *source)
	if err != nil {
		log.Fatal(err)
	}
	p := &program{works: works.ManifestWorks(*consumer), output: json.NewEncoder(os.Stdout)}
	p.write(answer{})
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			log.Fatalf("request %s: %v", lines.Text(), err)
		}
		result, err := p.do(ctx, asked)
		p.write(answer{ID: asked.ID, Result: result, Error: failureOf(err)})
	}
}

func connect(ctx context.Context, rest, address, source string) (workclient.WorkV1Interface, error) {
	logger, err := logging.NewStdLoggerBuilder().Streams(os.Stderr, os.Stderr).Build()
	if err != nil {
		return nil, err
	}
	api := openapi.NewConfiguration()
	api.Servers = openapi.ServerConfigurations{{URL: rest}}
	api.HTTPClient = &http.Client{Timeout: 30 * time.Second}
	healthiness := 20 * time.Second
	options := &grpc.GRPCOptions{Dialer: &grpc.GRPCDialer{URL: address}, ServerHealthinessTimeout: &healthiness}
	return grpcsource.NewMaestroGRPCSourceWorkClient(ctx, logger, openapi.NewAPIClient(api), options, source)
}

func (p *program) do(ctx context.Context, asked request) (any, error) {
	switch asked.Verb {
	case "get":
		return p.works.Get(ctx, asked.Name, metav1.GetOptions{})
	case "list":
		return p.works.List(ctx, listOptions(asked))
	case "create":
		return p.works.Create(ctx, asked.Work, metav1.CreateOptions{})
	case "patch":
		return p.works.Patch(ctx, asked.Name, asked.PatchType, asked.Patch, metav1.PatchOptions{})
	case "delete":
		return struct{}{}, p.works.Delete(ctx, asked.Name, metav1.DeleteOptions{})
	case "watch":
		return p.watch(ctx, asked)
	}
	return nil, errors.New("unknown verb " + asked.Verb)
}

func listOptions(asked request) metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: asked.Selector, Limit: asked.Limit, Continue: asked.Continue}
}

func (p *program) watch(ctx context.Context, asked request) (any, error) {
	watcher, err := p.works.Watch(ctx, listOptions(asked))
	if err != nil {
		return nil, err
	}
	go func() {
		for event := range watcher.ResultChan() {
			p.write(answer{ID: asked.ID, Event: string(event.Type), Result: event.Object})
		}
	}()
	return struct{}{}, nil
}

func (p *program) write(one answer) {
	p.writes.Lock()
	defer p.writes.Unlock()
	if err := p.output.Encode(one); err != nil {
		log.Fatal(err)
	}
}

func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return &failure{Message: status.Status().Message, Reason: status.Status().Reason, Code: status.Status().Code}
	}
	return &failure{Message: err.Error()}
}
