// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/handshake.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mlp::distributed {

namespace {

const std::string kSecret(kSecretBytes, 's');
const std::string kAcceptorNonce(kNonceBytes, 'a');
const Hello kHello{2, 1, 4, std::string(kNonceBytes, 'c')};

bool is_accepted(const std::string& proof, ProofRole role,
                 const Hello& hello = kHello) {
  return is_proof(proof, kSecret, role, hello, kAcceptorNonce);
}

}  // namespace

TEST_SUITE("distributed/rendezvous/handshake") {
  TEST_CASE("reads the hello that it has written") {
    const std::string bytes = format_hello(kHello);
    const auto read = parse_hello(bytes);

    CHECK(bytes.size() == kHelloBytes);
    REQUIRE(read);
    CHECK(read->connector == 2);
    CHECK(read->acceptor == 1);
    CHECK(read->world_size == 4);
    CHECK(read->nonce == kHello.nonce);
  }

  TEST_CASE("reads no hello from other bytes") {
    const std::string bytes = format_hello(kHello);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      CHECK(!parse_hello(bytes.substr(0, size)));
    }
    CHECK(!parse_hello(bytes + 'x'));
    CHECK(!parse_hello("GET / HTTP/1.1\r\n" + bytes.substr(16)));
  }

  TEST_CASE("accepts a proof of the same secret, ranks, role and nonces") {
    const std::string proof =
        make_proof(kSecret, ProofRole::kConnector, kHello, kAcceptorNonce);
    CHECK(proof.size() == kProofBytes);
    CHECK(is_accepted(proof, ProofRole::kConnector));

    CHECK(!is_accepted(proof, ProofRole::kAcceptor));
    for (const Hello& other :
         {Hello{3, 1, 4, kHello.nonce}, Hello{2, 0, 4, kHello.nonce},
          Hello{2, 1, 5, kHello.nonce},
          Hello{2, 1, 4, std::string(kNonceBytes, 'd')}}) {
      CHECK(!is_accepted(proof, ProofRole::kConnector, other));
    }
    CHECK(!is_proof(proof, kSecret, ProofRole::kConnector, kHello,
                    std::string(kNonceBytes, 'b')));
    CHECK(!is_proof(proof, std::string(kSecretBytes, 't'),
                    ProofRole::kConnector, kHello, kAcceptorNonce));
  }

  TEST_CASE("accepts no changed, short or empty proof, and no empty secret") {
    std::string proof =
        make_proof(kSecret, ProofRole::kAcceptor, kHello, kAcceptorNonce);
    CHECK(!is_accepted(proof.substr(1), ProofRole::kAcceptor));
    CHECK(!is_accepted("", ProofRole::kAcceptor));
    CHECK(!is_accepted(std::string(kProofBytes, '\0'), ProofRole::kAcceptor));
    for (char& byte : proof) {
      byte = static_cast<char>(byte ^ 1);
      CHECK(!is_accepted(proof, ProofRole::kAcceptor));
      byte = static_cast<char>(byte ^ 1);
    }
    const std::string unsigned_proof =
        make_proof("", ProofRole::kAcceptor, kHello, kAcceptorNonce);
    CHECK(!is_proof(unsigned_proof, "", ProofRole::kAcceptor, kHello,
                    kAcceptorNonce));
  }

  TEST_CASE("makes other random bytes each time") {
    CHECK(random_bytes(kNonceBytes).size() == kNonceBytes);
    CHECK(random_bytes(kNonceBytes) != random_bytes(kNonceBytes));
  }
}

}  // namespace mlp::distributed
