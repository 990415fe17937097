package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const checkTimeout = 40 * time.Second

// suite runs named checks one after another in a namespace of its own.
type suite struct {
	config    *rest.Config
	client    kubernetes.Interface
	namespace string
	checks    int
	failures  int
}

func newSuite(config *rest.Config, name string) *suite {
	client := kubernetes.NewForConfigOrDie(protobuf(config))
	s := &suite{config: config, client: client}
	namespace, err := client.CoreV1().Namespaces().Create(context.Background(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "go-" + name + "-"},
	}, metav1.CreateOptions{})
	if err != nil {
		s.line(map[string]any{"check": "create a namespace", "error": err.Error()})
		os.Exit(1)
	}
	s.namespace = namespace.Name
	return s
}

// protobuf is a configuration as controllers and kubectl use it for built-in kinds.
func protobuf(config *rest.Config) *rest.Config {
	copied := rest.CopyConfig(config)
	copied.ContentType = "application/vnd.kubernetes.protobuf"
	copied.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return copied
}

// onlyProtobuf accepts no other answer.
func onlyProtobuf(config *rest.Config) *rest.Config {
	copied := protobuf(config)
	copied.AcceptContentTypes = copied.ContentType
	return copied
}

func (s *suite) check(name string, run func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
	defer cancel()
	start := time.Now()
	err := run(ctx)
	s.checks++
	result := map[string]any{"check": name, "milliseconds": time.Since(start).Milliseconds()}
	if err != nil {
		s.failures++
		result["error"] = err.Error()
	}
	s.line(result)
}

// ask prints a request to the process that runs the program, and waits for the answer.
func (s *suite) ask(what string) error {
	s.line(map[string]any{"ask": what})
	_, err := bufio.NewReader(os.Stdin).ReadString('\n')
	return err
}

func (s *suite) finish() {
	s.line(map[string]any{"done": s.checks, "failures": s.failures})
	if s.failures > 0 {
		os.Exit(1)
	}
}

func (s *suite) line(value map[string]any) {
	if err := json.NewEncoder(os.Stdout).Encode(value); err != nil {
		panic(err)
	}
}

// equal says how got differs from want, or nothing.
func equal(what string, got, want any) error {
	if reflect.DeepEqual(got, want) {
		return nil
	}
	return fmt.Errorf("%s: got %s, want %s", what, show(got), show(want))
}

func show(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%#v", value)
	}
	return string(text)
}

// holds fails with the message unless the condition is true.
func holds(condition bool, format string, arguments ...any) error {
	if condition {
		return nil
	}
	return fmt.Errorf(format, arguments...)
}

// refused fails unless the error is of the wanted sort.
func refused(err error, sort func(error) bool, what string) error {
	if err == nil {
		return fmt.Errorf("%s: was not refused", what)
	}
	if !sort(err) {
		return fmt.Errorf("%s: refused in another way: %w", what, err)
	}
	return nil
}

// eventually waits until the condition is true.
func eventually(ctx context.Context, what string, condition func(ctx context.Context) (bool, error)) error {
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 20*time.Second, true, condition)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

var all = errors.Join
