#!/usr/bin/perl
# A message centre whose SMPP is Debian's libnet-smpp-perl (Net::SMPP 1.19). It writes a line for each unit.
# usage: perl [-I LIB] smsc.pl PORT PASSWORD THROTTLE_EVERY      Numbers that end in 9 are not delivered.
use strict; use warnings; use Net::SMPP; use IO::Select; use Time::HiRes qw(time); $| = 1;
my ($port, $password, $throttle) = @ARGV;
my $listener = Net::SMPP->new_listen('127.0.0.1', smpp_version => 0x34, port => $port) or die "listen: $!";
$SIG{CHLD} = 'IGNORE'; my @children; $SIG{TERM} = sub { kill 'TERM', @children; exit 0 };
print "listening\n";
my $client; while (1) { $client = $listener->accept or next; my $pid = fork; last if !$pid; push @children, $pid; }
$SIG{TERM} = 'DEFAULT'; undef $listener;
my ($count, @receipts) = (0); my $select = IO::Select->new($client);
while (1) {
  while (@receipts && $receipts[0][0] <= time) {
    my (undef, $id, $source, $destination) = @{ shift @receipts };
    my $state = $destination =~ /9$/ ? 'UNDELIV' : 'DELIVRD';
    $client->deliver_sm(source_addr => $destination, destination_addr => $source, esm_class => 0x04, async => 1,
      short_message => sprintf('id:%s sub:001 dlvrd:001 submit date:2611200000 done date:2611200001 stat:%s err:%s text:',
        $id, $state, $state eq 'DELIVRD' ? '000' : '011'));
  }
  my $wait = @receipts ? $receipts[0][0] - time : 1; $wait = 0.005 if $wait < 0.005;
  next unless $select->can_read($wait);
  my $unit = $client->read_pdu() or exit;
  my $command = Net::SMPP::pdu_tab->{$unit->{cmd}}{cmd} // '';
  if ($command eq 'bind_transceiver') {
    $client->set_version(0x34); my $ok = $unit->{password} eq $password;
    printf "bind %s %x\n", $unit->{system_id}, $unit->{interface_version};
    $client->bind_transceiver_resp(system_id => 'NETSMPP', seq => $unit->{seq}, status => $ok ? 0 : 0x0e);
  } elsif ($command eq 'submit_sm') {
    if ($throttle && ++$count % $throttle == 0) {
      print "throttled\n"; $client->submit_sm_resp(message_id => '', seq => $unit->{seq}, status => 0x58); next;
    }
    # Ids do not repeat over connections.
    my $id = sprintf '%d%05d', $$, ++$main::ids;
    $client->submit_sm_resp(message_id => $id, seq => $unit->{seq});
    my $tlv = join ',', map { sprintf '%04x=%s', $_, $unit->{$_} } sort grep { /^\d+$/ } keys %$unit;
    printf "submit %s/%d %s esm=%02x dc=%02x reg=%d sm=%s tlv=[%s]\n", $unit->{source_addr}, $unit->{source_addr_ton},
      $unit->{destination_addr}, $unit->{esm_class}, $unit->{data_coding}, $unit->{registered_delivery},
      unpack('H*', $unit->{short_message}), $tlv;
    push @receipts, [time + 0.2, $id, $unit->{source_addr}, $unit->{destination_addr}] if $unit->{registered_delivery};
  } elsif ($command eq 'deliver_sm_resp') { print "answered $unit->{status}\n";
  } elsif ($command eq 'enquire_link') { $client->enquire_link_resp(seq => $unit->{seq});
  } elsif ($command eq 'unbind') { $client->unbind_resp(seq => $unit->{seq}); exit; }
}
