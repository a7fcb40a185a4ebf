// A stand-in for the kubelets of a test cluster: an API server asks it to exec in pods, and it runs the commands on this
// machine, with the streaming code, the exit codes and the error texts of a kubelet over containerd and runc.
package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/types"
	protocol "k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/cert"
	serving "k8s.io/kubelet/pkg/cri/streaming/remotecommand"
)

// How commands of one container are run. The file is read again for each of them.
type container struct {
	// What stands before the command: nsenter with the namespaces of a node, say.
	Argv []string `json:"argv"`
	// The folder of the programs that the container has. No other is found by its name.
	Path string   `json:"path"`
	Env  []string `json:"env"`
	// What the container itself runs. It begins when somebody attaches to it.
	Command []string `json:"command"`
}

type kubelet struct {
	containers string
	// A process whose client is gone is left alone, as kubelets do; so that nothing stays behind, only so long.
	grace time.Duration
}

func main() {
	containers := flag.String("containers", "", "JSON file: {\"NAMESPACE/POD/CONTAINER\": {\"argv\": [], \"path\": \"/folder\", \"env\": []}}")
	portFile := flag.String("port-file", "", "where to write the port that it listens on")
	grace := flag.Duration("grace", 20*time.Second, "how long a process may live on without a client")
	flag.Parse()
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		log.Fatal(err)
	}
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	k := &kubelet{containers: *containers, grace: *grace}
	routes := http.NewServeMux()
	routes.HandleFunc("/exec/{namespace}/{pod}/{container}", k.stream)
	routes.HandleFunc("/attach/{namespace}/{pod}/{container}", k.stream)
	server := &http.Server{
		Handler: routes,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, goneKey{}, conn.(*tls.Conn).NetConn().(*watchedConn).gone)
		},
	}
	port := fmt.Sprint(plain.Addr().(*net.TCPAddr).Port)
	// Whoever waits for the file finds it whole.
	if err := errors.Join(os.WriteFile(*portFile+".new", []byte(port), 0o644), os.Rename(*portFile+".new", *portFile)); err != nil {
		log.Fatal(err)
	}
	// HTTP/1.1 only: connections are upgraded.
	config := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}
	log.Fatal(server.Serve(tls.NewListener(watchedListener{plain}, config)))
}

func (k *kubelet) stream(w http.ResponseWriter, req *http.Request) {
	options, err := serving.NewOptions(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	pod, name := req.PathValue("namespace")+"/"+req.PathValue("pod"), req.PathValue("container")
	if _, err := k.container(pod, name); err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	const idle, creation = 4 * time.Hour, 30 * time.Second
	if strings.HasPrefix(req.URL.Path, "/attach/") {
		serving.ServeAttach(w, req, k, pod, "", name, options, idle, creation, protocol.SupportedStreamingProtocols)
		return
	}
	serving.ServeExec(w, req, k, pod, "", name, req.URL.Query()["command"], options, idle, creation, protocol.SupportedStreamingProtocols)
}

func (k *kubelet) container(pod, name string) (container, error) {
	text, err := os.ReadFile(k.containers)
	if err != nil {
		return container{}, err
	}
	var all map[string]container
	if err := json.Unmarshal(text, &all); err != nil {
		return container{}, err
	}
	found, known := all[pod+"/"+name]
	if !known {
		return container{}, fmt.Errorf("container not found (%q)", name)
	}
	return found, nil
}

// What containerd answers when runc cannot start a program.
func notStarted(program, why string) error {
	return fmt.Errorf("failed to exec in container: failed to start exec %q: OCI runtime exec failed: exec failed: "+
		"unable to start container process: exec: %q: %s: unknown", "stand-in", program, why)
}

// AttachContainer runs the container's own command to its end. Kubelets say nothing of its exit code.
func (k *kubelet) AttachContainer(ctx context.Context, pod string, uid types.UID, name string, in io.Reader, out, errs io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	where, err := k.container(pod, name)
	if err != nil {
		return err
	}
	_ = k.ExecInContainer(ctx, pod, uid, name, where.Command, in, out, errs, tty, resize, 0)
	return nil
}

// ExecInContainer runs a command to its end. Its error carries the exit code.
func (k *kubelet) ExecInContainer(ctx context.Context, pod string, _ types.UID, name string, cmd []string, in io.Reader, out, errs io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize, _ time.Duration) error {
	where, err := k.container(pod, name)
	if err != nil {
		return err
	}
	program := cmd[0]
	if !strings.Contains(program, "/") {
		program = filepath.Join(where.Path, program)
		if info, err := os.Stat(program); err != nil || info.Mode()&0o111 == 0 {
			return notStarted(cmd[0], "executable file not found in $PATH")
		}
	} else if info, err := os.Stat(program); err != nil {
		return notStarted(cmd[0], "stat "+program+": no such file or directory")
	} else if info.IsDir() || info.Mode()&0o111 == 0 {
		return notStarted(cmd[0], "permission denied")
	}
	argv := append(append(append([]string{}, where.Argv...), program), cmd[1:]...)
	process := exec.Command(argv[0], argv[1:]...)
	process.Env = append([]string{"PATH=" + where.Path}, where.Env...)
	process.Stdout, process.Stderr = out, errs
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if in != nil {
		stdin, err := process.StdinPipe()
		if err != nil {
			return err
		}
		go func() {
			_, _ = io.Copy(stdin, in)
			_ = stdin.Close()
		}()
	}
	// The kernel tells the process of the end of the thread that started it: of ours, that is.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := process.Start(); err != nil {
		return notStarted(cmd[0], err.Error())
	}
	ended := make(chan struct{})
	defer close(ended)
	go k.endWithoutClient(ctx, process.Process.Pid, ended)
	var failed *exec.ExitError
	if err := process.Wait(); errors.As(err, &failed) {
		return exitCode{failed}
	} else {
		return err
	}
}

func (k *kubelet) endWithoutClient(ctx context.Context, pid int, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Value(goneKey{}).(chan struct{}):
	}
	select {
	case <-ended:
	case <-time.After(k.grace):
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
}

// An exit code as the streaming code looks for it; a signal counts as in a shell.
type exitCode struct{ *exec.ExitError }

func (e exitCode) Exited() bool   { return true }
func (e exitCode) String() string { return e.Error() }
func (e exitCode) ExitStatus() int {
	if status := e.Sys().(syscall.WaitStatus); status.Signaled() {
		return 128 + int(status.Signal())
	}
	return e.ExitCode()
}

// Tells when the other side of a connection is gone: the streaming code keeps that to itself.
type goneKey struct{}

type watchedListener struct{ net.Listener }

func (l watchedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &watchedConn{Conn: conn, gone: make(chan struct{})}, nil
}

type watchedConn struct {
	net.Conn
	gone   chan struct{}
	isGone bool
}

// Read has one caller at a time.
func (c *watchedConn) Read(into []byte) (int, error) {
	count, err := c.Conn.Read(into)
	// A deadline in the past only interrupts a read; the server does so to take a connection over.
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) && !c.isGone {
		c.isGone = true
		close(c.gone)
	}
	return count, err
}
